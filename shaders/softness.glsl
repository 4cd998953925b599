// Half the width of a shadow's edge, cast from `way` above by something of this radius. It grows with the way, but no
// further than thin things stay visible.
float softness(float way, float radius) {
    const float SPREAD = 0.085; // half the lamp's width over its distance
    return min(SPREAD * max(way, 0.0), 1.5 * radius) + raster.y;
}
