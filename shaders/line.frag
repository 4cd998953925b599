#include "scene.glsl"
in vec2 place;
in vec4 paint;
flat in vec4 shape;
flat in vec3 ends;
out vec4 result;

void main() {
    float past = 0.0; // distance beyond a free, round end
    if (ends.y > 0.5) past = min(place.x, 0.0);
    if (ends.z > 0.5 && place.x > ends.x) past = place.x - ends.x;
    float outside = length(vec2(past, place.y)) - shape.x;
    float alpha = clamp(0.5 - outside, 0.0, 1.0) * min(1.0, 2.0 * shape.x);
    if (shape.z > shape.y && shape.y > 0.0) {
        float way = mod(shape.w + place.x, shape.z);
        alpha *= clamp(0.5 + 0.5 * shape.y - abs(way - 0.5 * shape.y), 0.0, 1.0)
               + clamp(0.5 + way - shape.z, 0.0, 1.0);
    }
    alpha *= paint.a;
    if (alpha < 0.002) discard;
    result = vec4(paint.rgb * alpha, alpha);
}
