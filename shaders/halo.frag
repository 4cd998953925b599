#include "scene.glsl"
uniform float painted; // 1: blend (light themes); 0: add light
uniform float hidden; // 1: the obstructed part, which shines through; 0: the visible part
in vec2 place; // -1..1
in vec3 point;
flat in vec3 toward_eye;
flat in vec4 tint;
flat in float ball; // radius of the sphere inside, as a fraction of the halo's
flat in float size; // the same in world units
out vec4 result;
void main() {
    float away = length(place);
    float fall = max(1.0 - away, 0.0);
    float alpha = tint.a * fall * fall * sqrt(fall);
    float edge = max(fwidth(away), 1e-4);
    result = vec4(tint.rgb * alpha, alpha * mix(0.2, 1.0, painted));
    // Around the sphere, both parts have the same depth, so that together they are the whole halo, and what cuts it
    // leaves no seam.
    gl_FragDepth = gl_FragCoord.z;
    if (hidden > 0.5 && away < ball + edge) {
        // The sphere as a pale disc with a bright rim; fainter for a weak halo. Its depth is that of its front, a little
        // toward the eye: the sphere does not obstruct itself.
        float across = away / ball;
        float front = sqrt(max(1.0 - across * across, 0.0)) + 0.1;
        gl_FragDepth = depth_of(point + size * front * toward_eye);
        float inside = clamp(0.5 + (ball - away) / edge, 0.0, 1.0);
        float rim = smoothstep(0.72, 0.94, across);
        float disc = inside * mix(0.6, 1.0, rim) * clamp(1.8 * tint.a, 0.45, 1.0);
        result = result * (1.0 - disc) + vec4(tint.rgb, 1.0) * disc;
    }
}
