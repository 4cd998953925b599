uniform sampler2D image;
in vec2 place;
in vec4 tint;
out vec4 result;
void main() { result = tint * texture(image, place); } // blended in sRGB, as egui expects
