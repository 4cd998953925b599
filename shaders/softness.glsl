// Half the width of the edge of a shadow cast from distance `way` by something of this radius. It grows with the distance,
// up to where shadows of thin things would vanish.
float softness(float way, float radius) {
    const float SPREAD = 0.085; // half the lamp's width over its distance
    return min(SPREAD * max(way, 0.0), 1.5 * radius) + raster.y;
}
