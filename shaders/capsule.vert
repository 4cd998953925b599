// The smallest quad on the screen, aligned with the link, that contains the link's image.
#include "scene.glsl"
#include "outline.glsl"
#include "corner.glsl"
in vec3 a;
in float radius_a;
in vec3 b;
in float radius_b;
in vec4 color;
in vec4 material; // roughness, glow / 4
flat out vec4 end_a;
flat out vec4 end_b;
flat out vec4 tint;
flat out vec2 surface;

vec2 pixel_of(vec3 point) {
    vec4 clip = view_projection * vec4(point, 1.0);
    return (clip.xy / clip.w * 0.5 + 0.5) * viewport.xy;
}

void main() {
    end_a = vec4(a, radius_a);
    end_b = vec4(b, radius_b);
    tint = vec4(linear_of_srgb(color.rgb), color.a);
    surface = material.xy * vec2(1.0, 4.0);
    gl_Position = NOWHERE;
    bool a_behind = behind_eye(a, radius_a), b_behind = behind_eye(b, radius_b);
    if (a_behind && b_behind) return;
    vec2 axis = pixel_of(b) - pixel_of(a);
    axis = dot(axis, axis) > 1e-6 ? normalize(axis) : vec2(1.0, 0.0);
    vec2 across = vec2(-axis.y, axis.x);
    bool crosses_a, crosses_b;
    vec2 along_a = outline(a, radius_a, axis, crosses_a), along_b = outline(b, radius_b, axis, crosses_b);
    if (crosses_a || crosses_b || a_behind || b_behind) {
        gl_Position = clip_of_pixel(corner * viewport.xy);
        return;
    }
    vec2 across_a = outline(a, radius_a, across, crosses_a), across_b = outline(b, radius_b, across, crosses_b);
    // The hull of both outlines lies in this rectangle.
    vec2 low = vec2(min(along_a.x, along_b.x), min(across_a.x, across_b.x)) - SLACK;
    vec2 high = vec2(max(along_a.y, along_b.y), max(across_a.y, across_b.y)) + SLACK;
    vec2 place = mix(low, high, corner);
    gl_Position = clip_of_pixel(axis * place.x + across * place.y);
}
