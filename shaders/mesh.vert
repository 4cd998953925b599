// A mesh, rigid or skinned.
#include "scene.glsl"
in vec3 position;
in vec3 normal;
in vec4 color;
uniform mat4 model;
uniform mat4 turn; // normal matrix: the inverse transpose of model
uniform float widening; // length in the world
out vec3 point;
out vec3 facing;
out vec4 paint; // colour of the vertex, linear
#ifdef TEXTURED
in vec2 uv;
out vec2 spot;
#endif
#ifdef SKINNED
in vec4 bones;
in vec4 weights;
// Three texels per bone: the rows of its 3x4 matrix. OpenGL ES has no textures that are buffers.
#ifdef GL_ES
uniform sampler2D bone_rows;
vec4 bone_row(int number, int row) { return texelFetch(bone_rows, ivec2(row, number), 0); }
#else
uniform samplerBuffer bone_rows;
vec4 bone_row(int number, int row) { return texelFetch(bone_rows, 3 * number + row); }
#endif

mat4 bone(float index) {
    int number = int(index + 0.5);
    return transpose(mat4(bone_row(number, 0), bone_row(number, 1), bone_row(number, 2), vec4(0.0, 0.0, 0.0, 1.0)));
}
#endif
invariant gl_Position; // glass is drawn twice and must keep its depth

void main() {
    vec4 bent = vec4(position, 1.0);
    vec3 bent_normal = normal;
#ifdef SKINNED
    mat4 skin = weights.x * bone(bones.x) + weights.y * bone(bones.y)
              + weights.z * bone(bones.z) + weights.w * bone(bones.w);
    bent = skin * bent;
    bent_normal = mat3(skin) * bent_normal;
#endif
    vec4 world = model * bent;
    facing = mat3(turn) * bent_normal;
    world.xyz += widening * facing / max(length(facing), 1e-12);
    point = world.xyz;
    paint = vec4(linear_of_srgb(color.rgb), color.a);
#ifdef TEXTURED
    spot = uv;
#endif
    gl_Position = view_projection * world;
}
