// From linear light to the picture: tone mapping of highlights, antialiasing, vignette, sRGB, dithering.
#include "scene.glsl"
uniform sampler2D light_map;
uniform float vignette;
uniform float transparent; // 1: keeps the opacity; colours are multiplied by it, before and after
out vec4 result;

vec3 srgb_of_linear(vec3 c) {
    return mix(c * 12.92, 1.055 * pow(max(c, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055, vec3(greaterThan(c, vec3(0.0031308))));
}

const float KNEE = 0.8; // darker colours stay unchanged

vec3 shoulder(vec3 c) {
    vec3 high = 1.0 - (1.0 - KNEE) * exp((KNEE - c) / (1.0 - KNEE));
    return mix(c, high, vec3(greaterThan(c, vec3(KNEE))));
}

// Antialiases edges with a minimal form of Lottes' "FXAA" (2009): all edges without multisampling, and otherwise those
// where two ray-cast shapes meet, which have one depth per pixel.
float brightness(ivec2 pixel) {
    return sqrt(min(texelFetch(light_map, clamp(pixel, ivec2(0), ivec2(viewport.xy) - 1), 0).g, 1.0));
}

vec4 toned(vec4 c) { return vec4(shoulder(c.rgb), c.a); }

vec4 seen(vec2 place) { return toned(texture(light_map, place)); }

vec4 smoothed(ivec2 pixel) {
    vec4 here = toned(texelFetch(light_map, pixel, 0));
    float middle = sqrt(here.g);
    float n = brightness(pixel + ivec2(0, 1)), s = brightness(pixel - ivec2(0, 1));
    float e = brightness(pixel + ivec2(1, 0)), w = brightness(pixel - ivec2(1, 0));
    float low = min(middle, min(min(n, s), min(e, w))), high = max(middle, max(max(n, s), max(e, w)));
    if (high - low < 0.08) return here;
    vec2 along = vec2(s - n, e - w); // perpendicular to the gradient
    vec2 way = along / max(max(abs(along.x), abs(along.y)), 1e-4) * 0.5;
    vec2 place = (vec2(pixel) + 0.5) * viewport.zw;
    return 0.5 * (seen(place - way * viewport.zw) + seen(place + way * viewport.zw));
}

void main() {
    vec4 light = smoothed(ivec2(gl_FragCoord.xy));
    float cover = mix(1.0, clamp(light.a, 0.0, 1.0), transparent);
    vec3 color = light.rgb / max(cover, 1e-4);
    vec2 off = gl_FragCoord.xy * viewport.zw - 0.5;
    color *= 1.0 - vignette * smoothstep(0.1, 0.5, dot(off, off));
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    result = vec4((srgb_of_linear(color) + noise / 255.0) * cover, cover);
}
