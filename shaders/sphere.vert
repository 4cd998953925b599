// The smallest quad on the screen that contains a sphere's image.
#include "scene.glsl"
#include "outline.glsl"
#include "corner.glsl"
in vec3 center;
in float radius;
in vec4 color;
in vec4 material; // roughness, glow / 4
flat out vec4 ball;
flat out vec4 tint;
flat out vec2 surface;

void main() {
    ball = vec4(center, radius);
    tint = vec4(linear_of_srgb(color.rgb), color.a);
    surface = material.xy * vec2(1.0, 4.0);
    gl_Position = NOWHERE;
    if (behind_eye(center, radius)) return;
    bool crosses;
    vec2 x = outline(center, radius, vec2(1.0, 0.0), crosses);
    vec2 y = outline(center, radius, vec2(0.0, 1.0), crosses);
    vec2 low = vec2(x.x, y.x) - SLACK, high = vec2(x.y, y.y) + SLACK;
    if (crosses) { low = vec2(0.0); high = viewport.xy; }
    gl_Position = clip_of_pixel(mix(low, high, corner));
}
