/* SDF: height fields from pictures. */
#include "algebra/elementary.h"
#include "base/memory.h"
#include "description/mesh/read_png.h"
#include "description/robot/sdf/sdf.h"
#include "description/yaml/source.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Where the picture lies: model:// and package:// as for models, else beside the file; NULL: nowhere. */
static const char *find_picture(jn_robot *b, const jn_xml *e, const char *uri) {
    struct stat info;
    bool named = !strncmp(uri, "model://", 8) || !strncmp(uri, "package://", 10);
    const char *name = strstr(uri, "://") ? strstr(uri, "://") + 3 : uri;
    const char *found = named ? jn_robot_find_in_packages(b, name, true) : NULL;
    const char *const tries[] = {found ? jn_source_beside(b->r, b->file, found) : NULL, jn_source_beside(b->r, e->where.file, name),
                                 jn_source_beside(b->r, b->file, name)};
    for (int k = 0; k < 3; k++)
        if (tries[k] && stat(tries[k], &info) == 0 && S_ISREG(info.st_mode)) return tries[k];
    return NULL;
}

/* The brightest point of the picture is size.z high and black lies at 0, as Gazebo has it; its upper edge has the largest y. */
static bool set_heights(jn_sdf *s, const double *grey, int rows, int columns, double tall, jn_robot_shape *shape) {
    double *heights = jn_store_array(s->b->r->scratch, (size_t)rows * (size_t)columns, sizeof *heights), most = 0;
    if (!heights) return jn_read_no_memory(s->b->r);
    for (int i = 0; i < rows * columns; i++) most = jn_fmax(most, grey[i]);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            heights[i * columns + k] = most > 0 ? tall * grey[(rows - 1 - i) * columns + k] / most : 0;
    shape->heights = heights, shape->grid[0] = columns, shape->grid[1] = rows;
    return true;
}

bool jn_sdf_heightmap(jn_sdf *s, const jn_xml *e, jn_robot_shape *shape, bool *left_out) {
    jn_robot *b = s->b;
    double size[3] = {1, 1, 1}, pos[3] = {0, 0, 0}, *grey = NULL;
    char reason[JN_PNG_REASON];
    int rows = 0, columns = 0;
    const char *uri = jn_sdf_text(s, e, "uri"), *path = uri ? find_picture(b, e, uri) : NULL, *dot = uri ? strrchr(uri, '.') : NULL;
    if (!uri) return jn_read_error(b->r, e->where, JN_ERR_MODEL, "<heightmap> has no <uri>");
    if (!jn_sdf_numbers(s, e, "size", 3, size) || !jn_sdf_numbers(s, e, "pos", 3, pos)) return false;
    if (!(size[0] > 0 && size[1] > 0 && size[2] > 0))
        return jn_read_error(b->r, e->where, JN_ERR_MODEL, "<heightmap> has a size that is not above 0");
    *left_out = true;
    if (!dot || strcasecmp(dot, ".png"))
        return jn_robot_find(b, JN_FINDING_PHYSICS, e->where, uri, "height maps from files other than .png", "they are left out; write a .png"), true;
    if (!path)
        return jn_robot_find(b, JN_FINDING_MISSING, e->where, uri, "height maps whose file is not there",
                             "they are left out; --packages DIR names the folder that holds the model's"), true;
    if (shape->body >= 0)
        return jn_robot_find(b, JN_FINDING_PHYSICS, e->where, b->bodies[shape->body].name, "a height map on a moving body",
                             "it is left out; write <static>true</static>"), true;
    int status = jn_png_read(path, &rows, &columns, &grey, reason);
    if (status == JN_ERR_MEMORY) return jn_read_no_memory(b->r);
    if (status || rows < 2 || columns < 2) {
        jn_free(grey);
        return jn_read_error(b->r, e->where, status ? status : JN_ERR_MODEL, "the height map '%.200s' cannot be read: %s", path,
                             status ? reason : "it needs two rows and columns");
    }
    bool fine = set_heights(s, grey, rows, columns, size[2], shape);
    jn_free(grey);
    shape->type = JN_SHAPE_HEIGHTFIELD, shape->size = v3(size[0], size[1], 0);
    shape->at = v3_add(shape->at, q4_rotate(shape->orientation, v3(pos[0], pos[1], pos[2])));
    *left_out = false;
    return fine;
}
