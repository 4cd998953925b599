// A link, ray-cast through this pixel.
#include "scene.glsl"
#include "coverage.glsl"
#include "round_cone.glsl"
#ifndef DEPTH_ONLY
#include "light.glsl"
#endif
flat in vec4 end_a;
flat in vec4 end_b;
flat in vec4 tint;
flat in vec2 surface;
out vec4 result;

void main() {
    Ray ray = ray_through(gl_FragCoord.xy);
    RoundCone cone = RoundCone(end_a.xyz, end_a.w, end_b.xyz, end_b.w);
    vec3 normal;
    float t = enter_round_cone(cone, ray, normal);
#ifdef MULTISAMPLED
    float along;
    cover(line_distance(cone, ray, along));
    if (t >= MISS) { // the edge crosses the pixel beside its centre: use the nearest point
        vec3 near = mix(end_a.xyz, end_b.xyz, along);
        t = dot(near - ray.origin, ray.direction);
        normal = normalize(ray.origin + t * ray.direction - near);
    }
#else
    if (t >= MISS) discard;
#endif
    if (t < 0.0) discard; // the eye is inside
    vec3 point = ray.origin + t * ray.direction;
#ifdef DEPTH_ONLY
    gl_FragDepth = depth_of(point);
    result = vec4(1.0);
#else
    gl_FragDepth = depth_of(point + sunk(tint.a, end_a.w) * ray.direction);
    vec3 color = shade(point, normal, -ray.direction, tint.rgb, surface.x, surface.y);
    result = with_alpha(color, tint.a, normal, -ray.direction);
#endif
}
