// The corner of a quad that is drawn as a strip of four vertices without attributes.
#define corner vec2(gl_VertexID & 1, gl_VertexID >> 1) // 0..1
