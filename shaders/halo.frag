uniform float painted; // 1: paint over what is behind (light themes); 0: add light
in vec2 place;
flat in vec4 tint;
out vec4 result;
void main() {
    float fall = max(1.0 - length(place), 0.0);
    float alpha = tint.a * fall * fall * sqrt(fall);
    result = vec4(tint.rgb * alpha, alpha * mix(0.2, 1.0, painted));
}
