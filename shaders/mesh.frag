// A mesh's surface. A mesh without normals is shaded flat.
#include "scene.glsl"
#ifndef DEPTH_ONLY
#include "light.glsl"
uniform vec4 tint;    // linear
uniform vec2 surface; // roughness, glow
#endif
in vec3 point;
in vec3 facing;
out vec4 result;

void main() {
#ifdef DEPTH_ONLY
    result = vec4(1.0);
#else
    Ray ray = ray_through(gl_FragCoord.xy);
    vec3 normal = dot(facing, facing) > 1e-12 ? normalize(facing) : normalize(cross(dFdx(point), dFdy(point)));
    if (dot(normal, ray.direction) > 0.0) normal = -normal;
    vec3 color = shade(point, normal, -ray.direction, tint.rgb, surface.x, surface.y);
    result = with_alpha(color, tint.a, normal, -ray.direction);
#endif
}
