// A picture of another resolution, interpolated.
uniform sampler2D image;
uniform vec2 pixel; // size of a pixel of the target, as a share of the target
out vec4 result;
void main() { result = texture(image, gl_FragCoord.xy * pixel); }
