// Softens the silhouettes of meshes on the floor: a narrow blur makes their shadow (red), a wide blur the occluded sky
// (green). Taps lie along a spiral, rotated per texel; the floor's filtering smooths the noise.
#include "scene.glsl"
uniform sampler2D silhouette;
out vec4 result;

float blurred(vec2 place, float radius) {
    const float TAPS = 12.0;
    float turn = 6.2831853 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    float sum = 0.0;
    for (float tap = 0.5; tap < TAPS; tap += 1.0) {
        float angle = 2.3999632 * tap + turn;
        sum += texture(silhouette, place + radius * sqrt(tap / TAPS) * vec2(cos(angle), sin(angle))).r;
    }
    return sum / TAPS;
}

void main() {
    vec2 size = vec2(textureSize(silhouette, 0));
    vec2 place = gl_FragCoord.xy / size;
    result = vec4(blurred(place, max(0.004, 1.5 / size.x)), blurred(place, 0.02), 0.0, 0.0);
}
