// A sphere, ray-cast through this pixel.
#include "scene.glsl"
#include "coverage.glsl"
#ifndef DEPTH_ONLY
#include "light.glsl"
#endif
flat in vec4 ball;
flat in vec4 tint;
flat in vec2 surface;
out vec4 result;

void main() {
    Ray ray = ray_through(gl_FragCoord.xy);
    vec3 to = ray.origin - ball.xyz;
    float b = dot(to, ray.direction);
    vec3 nearest = to - b * ray.direction;
    float missed = dot(nearest, nearest);
    cover(sqrt(missed) - ball.w);
    float t = -b - sqrt(max(ball.w * ball.w - missed, 0.0));
    if (t < 0.0) discard; // the eye is inside
    vec3 point = ray.origin + t * ray.direction;
#ifdef DEPTH_ONLY
    gl_FragDepth = depth_of(point);
    result = vec4(1.0);
#else
    gl_FragDepth = depth_of(point + sunk(tint.a, ball.w) * ray.direction);
    vec3 normal = normalize(point - ball.xyz);
    vec3 color = shade(point, normal, -ray.direction, tint.rgb, surface.x, surface.y);
    result = with_alpha(color, tint.a, normal, -ray.direction);
#endif
}
