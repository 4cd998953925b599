// A mesh's surface. A mesh without normals is shaded flat.
#include "scene.glsl"
#ifndef DEPTH_ONLY
#include "light.glsl"
uniform vec4 tint;    // linear; alpha is the opacity of the whole mesh
uniform vec2 surface; // roughness, glow
#endif
uniform vec3 cover; // least opacity that is drawn; opacity of the colour; 1 to blend by opacity
#ifdef TEXTURED
uniform sampler2D picture;
in vec2 spot;
#endif
in vec3 point;
in vec3 facing;
in vec4 paint;
out vec4 result;

void main() {
    vec4 color = paint;
#ifdef TEXTURED
    color *= texture(picture, spot);
#endif
    color.a *= cover.y;
    if (color.a < cover.x) discard;
#ifdef DEPTH_ONLY
    result = vec4(1.0);
#else
    Ray ray = ray_through(gl_FragCoord.xy);
    vec3 normal = dot(facing, facing) > 1e-12 ? normalize(facing) : normalize(cross(dFdx(point), dFdy(point)));
    if (dot(normal, ray.direction) > 0.0) normal = -normal;
    vec3 lit = shade(point, normal, -ray.direction, tint.rgb * color.rgb, surface.x, surface.y);
    result = cover.z > 0.5 ? vec4(lit * color.a, color.a) : with_alpha(lit, tint.a, normal, -ray.direction);
#endif
}
