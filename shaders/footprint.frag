// The shade of one round cone on the floor. Casters are combined by maximum, so that a chain of them casts one shadow.
// Red: the lamp's shadow, sharp at contact and softer with height. Green: occluded sky.
#include "scene.glsl"
#include "round_cone.glsl"
#include "softness.glsl"
flat in vec4 end_a;
flat in vec4 end_b;
in vec2 ground_point;
out vec4 result;

void main() {
    RoundCone cone = RoundCone(end_a.xyz, end_a.w, end_b.xyz, end_b.w);
    vec3 here = vec3(ground_point.x, raster.z, ground_point.y);
    float along;
    float outside = line_distance(cone, Ray(here, light.xyz), along);
    vec3 caster = mix(cone.a, cone.b, along);
    float radius = mix(cone.ra, cone.rb, along);
    float up = dot(caster - here, light.xyz); // distance from here to the caster
    float soft = softness(up, radius);
    float shadow = up > -radius ? 1.0 - smoothstep(-soft, soft, outside) : 0.0;

    vec3 axis = cone.b - cone.a;
    float t = clamp(dot(here - cone.a, axis) / max(dot(axis, axis), 1e-12), 0.0, 1.0);
    vec3 to = mix(cone.a, cone.b, t) - here;
    float r = mix(cone.ra, cone.rb, t);
    float d = max(length(to), r);
    // Share of the sky that a sphere at this elevation hides from a flat floor.
    float hidden = clamp((to.y + 0.5 * r) / d, 0.0, 1.0) * (r * r) / (d * d);
    hidden *= 1.0 - smoothstep(1.5, 3.0, d / r);
    result = vec4(shadow, hidden, 0.0, 0.0);
}
