/* Stored states for fmi2.c and fmi3.c, which define SIZE, SERIALIZE, DESERIALIZE and FREE: functions of the core. */

/* The place for the name of a state in the buffer, with its address now. A state of another instance ends with that instance. */
static u32 place_of_state(Call *call, void **state) {
    u32 address = 0;
    const u32 place = room(call, state, 1, 4);
    if (place == 0) return 0;
    if (*state == NULL || owner_of(*state, &address) != call->instance) address = 0;
    set_word(call, place, address);
    return place;
}

/* The bytes of a state of another instance in the buffer of `call`; 0 if there is no such state. */
static u32 bytes_of(Call *call, Instance *owner, u32 address, u32 *size) {
    Call other;
    if (!begin(&other, owner)) return 0;
    if (owner->is_lost || setjmp(other.trap)) {
        end(&other);
        return 0;
    }
    const u32 place = room(&other, &other, 1, 4);
    if (place != 0) (void)SIZE(other.m, owner->component, address, place);
    *size = place == 0 ? 0 : word_at(&other, place);
    const u32 bytes = room(&other, &other, *size, 1);
    if (bytes != 0) (void)SERIALIZE(other.m, owner->component, address, bytes, *size);
    const u32 received = bytes == 0 ? 0 : given(call, other.m + bytes, *size, 1);
    end(&other);
    return received;
}

/* The address of a state that the instance of `call` can use. A state of another instance is copied: `copy` is to be freed. */
static u32 state_for(Call *call, void *state, u32 *copy) {
    u32 address = 0, size = 0;
    Instance *owner = owner_of(state, &address);
    *copy = 0;
    if (owner == NULL || owner == call->instance) return address;
    const u32 bytes = bytes_of(call, owner, address, &size), place = room(call, call, 1, 4);
    if (bytes == 0 || place == 0) return 0;
    set_word(call, place, 0);
    (void)DESERIALIZE(call->m, call->instance->component, bytes, size, place);
    *copy = word_at(call, place);
    return *copy;
}

static void free_state(Call *call, u32 state) {
    const u32 place = state == 0 ? 0 : room(call, call, 1, 4);
    if (place == 0) return;
    set_word(call, place, state);
    (void)FREE(call->m, call->instance->component, place);
}
