// From linear light to the picture: smoothed steps, vignette, a soft shoulder for what is too bright, sRGB, dither.
#include "scene.glsl"
uniform sampler2D light_map;
uniform float vignette;
out vec4 result;

vec3 shoulder(vec3 c) { // below 0.7 colours stay what they are
    vec3 high = 1.0 - 0.3 * exp((0.7 - c) / 0.3);
    return mix(c, high, vec3(greaterThan(c, vec3(0.7))));
}

vec3 srgb_of_linear(vec3 c) {
    return mix(c * 12.92, 1.055 * pow(max(c, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055, vec3(greaterThan(c, vec3(0.0031308))));
}

// Steps are smoothed along jumps of brightness: all edges without multisampling, and with it those where two ray-cast
// shapes meet, whose depth is known once a pixel only. The smallest form of Lottes' "FXAA" (2009).
float brightness(vec2 place) { return sqrt(min(texture(light_map, place).g, 1.0)); }

vec3 smoothed(vec2 place) {
    vec2 texel = viewport.zw;
    vec3 here = texture(light_map, place).rgb;
    float middle = sqrt(min(here.g, 1.0));
    float nw = brightness(place + vec2(-0.5, 0.5) * texel), ne = brightness(place + vec2(0.5, 0.5) * texel);
    float sw = brightness(place + vec2(-0.5, -0.5) * texel), se = brightness(place + vec2(0.5, -0.5) * texel);
    float low = min(middle, min(min(nw, ne), min(sw, se))), high = max(middle, max(max(nw, ne), max(sw, se)));
    vec2 along = vec2(sw + se - nw - ne, nw + sw - ne - se);
    float least = min(abs(along.x), abs(along.y)) + 0.02;
    vec2 way = clamp(along / least, -6.0, 6.0) * texel;
    vec3 mean = 0.5 * (texture(light_map, place - way / 6.0).rgb + texture(light_map, place + way / 6.0).rgb);
    return high - low < 0.06 ? here : mean;
}

void main() {
    vec3 color = smoothed(gl_FragCoord.xy * viewport.zw);
    vec2 off = gl_FragCoord.xy * viewport.zw - 0.5;
    color *= 1.0 - vignette * smoothstep(0.1, 0.5, dot(off, off));
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    result = vec4(srgb_of_linear(shoulder(color)) + noise / 255.0, 1.0);
}
