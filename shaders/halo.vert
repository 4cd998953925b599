#include "scene.glsl"
#include "corner.glsl"
in vec3 center;
in float radius;
in float core;
in vec4 color;
out vec2 place;
out vec3 point;
flat out vec3 toward_eye;
flat out vec4 tint;
flat out float ball;
flat out float size;
void main() {
    vec4 middle = view_projection * vec4(center, 1.0);
    vec2 pixel = (middle.xy / middle.w * 0.5 + 0.5) * viewport.xy;
    Ray ray = ray_through(pixel);
    vec3 right = normalize(origin_x.xyz + direction_x.xyz);
    right = normalize(right - ray.direction * dot(right, ray.direction));
    vec3 up = cross(right, ray.direction);
    place = corner * 2.0 - 1.0;
    tint = vec4(linear_of_srgb(color.rgb), color.a);
    ball = core / radius;
    size = core;
    toward_eye = -ray.direction;
    point = center + radius * (place.x * right + place.y * up);
    gl_Position = view_projection * vec4(point, 1.0);
}
