// A quad on the floor that contains the shade of one round cone: its shadow and the sky that it hides.
#include "scene.glsl"
#include "corner.glsl"
in vec3 a;
in float radius_a;
in vec3 b;
in float radius_b;
flat out vec4 end_a;
flat out vec4 end_b;
out vec2 ground_point;

#include "softness.glsl"

void reach_of(vec3 center, float radius, inout vec2 low, inout vec2 high) {
    float height = max(center.y - raster.z, 0.0);
    vec2 shadow = center.xz - light.xz / light.y * height;
    float wide = (radius + softness(height / light.y, radius)) / light.y;
    low = min(low, shadow - wide);
    high = max(high, shadow + wide);
    if (height < 4.0 * radius) {
        low = min(low, center.xz - 3.0 * radius);
        high = max(high, center.xz + 3.0 * radius);
    }
}

void main() {
    end_a = vec4(a, radius_a);
    end_b = vec4(b, radius_b);
    vec2 low = vec2(1e9), high = vec2(-1e9);
    reach_of(a, radius_a, low, high);
    reach_of(b, radius_b, low, high);
    ground_point = mix(low, high, corner);
    gl_Position = vec4((shadow_projection * vec4(ground_point.x, raster.z, ground_point.y, 1.0)).xy, 0.0, 1.0);
}
