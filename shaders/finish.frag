// From linear light to the picture: vignette, a soft shoulder for what is too bright, sRGB, dither.
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

void main() {
    vec3 color = texelFetch(light_map, ivec2(gl_FragCoord.xy), 0).rgb;
    vec2 off = gl_FragCoord.xy * viewport.zw - 0.5;
    color *= 1.0 - vignette * smoothstep(0.1, 0.5, dot(off, off));
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    result = vec4(srgb_of_linear(shoulder(color)) + noise / 255.0, 1.0);
}
