#include "scene.glsl"
#include "background.glsl"
out vec4 result;
void main() { result = vec4(background_at(gl_FragCoord.xy), 1.0); }
