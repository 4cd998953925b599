#include "scene.glsl"
in vec3 position;
in vec3 normal;
in float rim; // 1 on the rim
in vec4 color;
out vec3 point;
out vec3 facing;
out float edge;
out vec4 tint;
void main() {
    point = position;
    facing = normal;
    edge = rim;
    tint = vec4(linear_of_srgb(color.rgb), color.a);
    gl_Position = view_projection * vec4(position, 1.0);
}
