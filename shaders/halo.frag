uniform float painted; // 1: blend (light themes); 0: add light
uniform float hidden;
in vec2 place;
flat in vec4 tint;
flat in float ball;
out vec4 result;
void main() {
    float away = length(place);
    float fall = max(1.0 - away, 0.0);
    float alpha = tint.a * fall * fall * sqrt(fall);
    result = vec4(tint.rgb * alpha, alpha * mix(0.2, 1.0, max(painted, hidden)));
    if (hidden > 0.5) {
        // The sphere as a pale disc with a bright rim; fainter for a weak halo.
        float edge = max(fwidth(away), 1e-4);
        float inside = clamp(0.5 + (ball - away) / edge, 0.0, 1.0);
        float rim = smoothstep(0.72, 0.94, away / ball);
        float disc = inside * mix(0.6, 1.0, rim) * clamp(1.8 * tint.a, 0.45, 1.0);
        result = result * (1.0 - disc) + vec4(tint.rgb, 1.0) * disc;
    }
}
