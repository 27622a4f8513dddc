/* What a detection has found, as plain data: the warm starts of its pairs, which are part of the state; and all of it, so that another update can be undone. */
#include "proximity/detection.h"

#include <string.h>

size_t jn_detection_state_size(const jn_detection *s) { return sizeof(jn_solid_pair) * ((size_t)s->pair_room + 1); }

void jn_detection_state_save(const jn_detection *s, void *to) {
    jn_solid_pair head = {.count = s->pairs};
    memset(to, 0, jn_detection_state_size(s));
    memcpy(to, &head, sizeof head);
    memcpy((char *)to + sizeof head, s->pair, (size_t)s->pairs * sizeof *s->pair);
}

void jn_detection_state_load(jn_detection *s, const void *from) {
    jn_solid_pair head;
    memcpy(&head, from, sizeof head);
    s->pairs = head.count, s->contacts = 0, s->current = false;
    memcpy(s->pair, (const char *)from + sizeof head, (size_t)s->pairs * sizeof *s->pair);
    for (int i = 0; i < s->pairs; i++) s->pair[i].first = s->pair[i].count = 0;
}

/* --------------------------------------------------------------------------------------- all that was found, and back */

typedef struct jn_detection_memory {
    int pairs, contacts;
    double margin;
    bool current;
} jn_detection_memory;

size_t jn_detection_memory_size(const jn_detection *s) {
    return sizeof(jn_detection_memory) + (size_t)s->model->link_count * sizeof *s->poses +
           (size_t)s->pair_room * sizeof *s->pair + (size_t)s->contact_room_of_pair * sizeof *s->contact;
}

void jn_detection_memory_save(const jn_detection *s, void *to) {
    jn_detection_memory head = {s->pairs, s->contacts, s->margin, s->current};
    size_t poses = (size_t)s->model->link_count * sizeof *s->poses, pairs = (size_t)s->pairs * sizeof *s->pair;
    char *at = to;
    memcpy(at, &head, sizeof head), at += sizeof head;
    memcpy(at, s->poses, poses), at += poses;
    memcpy(at, s->pair, pairs), at += pairs;
    memcpy(at, s->contact, (size_t)s->contacts * sizeof *s->contact);
}

void jn_detection_memory_load(jn_detection *s, const void *from) {
    jn_detection_memory head;
    const char *at = from;
    memcpy(&head, at, sizeof head), at += sizeof head;
    size_t poses = (size_t)s->model->link_count * sizeof *s->poses, pairs = (size_t)head.pairs * sizeof *s->pair;
    s->pairs = head.pairs, s->contacts = head.contacts, s->margin = head.margin, s->current = head.current;
    memcpy(s->poses, at, poses), at += poses;
    memcpy(s->pair, at, pairs), at += pairs;
    memcpy(s->contact, at, (size_t)head.contacts * sizeof *s->contact);
}
