#include <stdlib.h>
#include <string.h>
#include "describe.h"

/* Adds a name. Returns 1, which ends an iteration, if there is no room for it. */
static herr_t add(h5perf_list *list, char kind, const char *name)
{
    size_t bytes = strlen(name) + 2;
    if (list->count == list->most) {
        list->full = 1;
        return 1;
    }
    if (list->used + bytes > list->room) {
        size_t room = 2 * (list->room + bytes);
        char *text = realloc(list->text, room);
        if (!text) {
            list->full = 1;
            return 1;
        }
        list->text = text;
        list->room = room;
    }
    list->text[list->used] = kind;
    memcpy(list->text + list->used + 1, name, bytes - 1);
    list->used += bytes;
    list->count++;
    return 0;
}

static herr_t link_found(hid_t group, const char *name, const H5L_info_t *info, void *list)
{
    (void)group;
    switch (info->type) {
    case H5L_TYPE_HARD:
        return add(list, 'h', name);
    case H5L_TYPE_SOFT:
        return add(list, 's', name);
    case H5L_TYPE_EXTERNAL:
        return add(list, 'e', name);
    default:
        return add(list, 'u', name);
    }
}

static herr_t attribute_found(hid_t object, const char *name, const H5A_info_t *info, void *list)
{
    (void)object;
    (void)info;
    return add(list, 'a', name);
}

static H5_index_t order(int tracked) { return tracked ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME; }

herr_t h5perf_links(hid_t group, int tracked, h5perf_list *list)
{
    return H5Literate(group, order(tracked), H5_ITER_INC, NULL, link_found, list);
}

herr_t h5perf_attribute_names(hid_t object, int tracked, h5perf_list *list)
{
    return H5Aiterate2(object, order(tracked), H5_ITER_INC, NULL, attribute_found, list);
}

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

herr_t h5perf_link_target(hid_t group, const char *name, char **file, char **path)
{
    H5L_info_t info;
    const char *in_file = NULL, *in_path = NULL;
    *file = *path = NULL;
    if (H5Lget_info(group, name, &info, H5P_DEFAULT) < 0)
        return -1;
    char *value = calloc(info.u.val_size + 1, 1);
    if (!value)
        return -1;
    herr_t rc = H5Lget_val(group, name, value, info.u.val_size, H5P_DEFAULT);
    if (rc >= 0 && info.type == H5L_TYPE_EXTERNAL) {
        rc = H5Lunpack_elink_val(value, info.u.val_size, NULL, &in_file, &in_path);
        if (rc >= 0 && !(*file = copy_text(in_file)))
            rc = -1;
    }
    if (rc >= 0 && !(*path = copy_text(in_path ? in_path : value)))
        rc = -1;
    free(value);
    return rc;
}

herr_t h5perf_describe_object(hid_t object, h5perf_object *to)
{
    H5O_info_t info;
    memset(to, 0, sizeof *to);
#if H5_VERSION_GE(1, 12, 0)
    if (H5Oget_info3(object, &info, H5O_INFO_BASIC | H5O_INFO_TIME) < 0)
        return -1;
    memcpy(to->key, &info.token, sizeof info.token);
#else
    if (H5Oget_info2(object, &info, H5O_INFO_BASIC | H5O_INFO_TIME) < 0)
        return -1;
    memcpy(to->key, &info.addr, sizeof info.addr);
#endif
    to->type = (int)info.type;
    to->changed = info.ctime != 0;
    return 0;
}

int h5perf_has_own_space(hid_t list)
{
#if H5_VERSION_GE(1, 10, 1)
    H5F_fspace_strategy_t strategy;
    hbool_t persist;
    hsize_t threshold;
    if (H5Pget_file_space_strategy(list, &strategy, &persist, &threshold) < 0)
        return -1;
    return strategy != H5F_FSPACE_STRATEGY_FSM_AGGR || persist;
#else
    (void)list;
    return 0;
#endif
}

int h5perf_num_chunks(hid_t dataset, hsize_t *chunks)
{
#if H5_VERSION_GE(1, 12, 0) || (H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 10 && H5_VERS_RELEASE >= 5)
    hid_t space = H5Dget_space(dataset);
    if (space < 0)
        return -1;
    int got = H5Dget_num_chunks(dataset, space, chunks) < 0 ? -1 : 0;
    return H5Sclose(space) < 0 ? -1 : got;
#else
    (void)dataset;
    (void)chunks;
    return 1;
#endif
}

herr_t h5perf_enum_value(hid_t type, unsigned word, size_t bytes, int big, uint64_t *value)
{
    unsigned char number[8] = {0};
    if (bytes > sizeof number || H5Tget_member_value(type, word, number) < 0)
        return -1;
    *value = 0;
    for (size_t i = 0; i < bytes; i++)
        *value |= (uint64_t)number[big ? bytes - 1 - i : i] << (8 * i);
    return 0;
}
