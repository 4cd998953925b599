#include "scene.glsl"
in vec2 corner; // 0..1
in vec3 center;
in float radius;
in vec4 color;
out vec2 place;
flat out vec4 tint;
void main() {
    vec4 middle = view_projection * vec4(center, 1.0);
    vec2 pixel = (middle.xy / middle.w * 0.5 + 0.5) * viewport.xy;
    Ray ray = ray_through(pixel);
    vec3 right = normalize(origin_x.xyz + direction_x.xyz);
    right = normalize(right - ray.direction * dot(right, ray.direction));
    vec3 up = cross(right, ray.direction);
    place = corner * 2.0 - 1.0;
    tint = vec4(linear_of_srgb(color.rgb), color.a);
    gl_Position = view_projection * vec4(center + radius * (place.x * right + place.y * up), 1.0);
}
