#pragma once

#include "api/object/edit.h"
#include "api/object/view.h"

namespace proa::kinds {

// Converts an Event between v1 and events.k8s.io/v1. Kind, apiVersion and metadata are already set.
void event_to_events_group(api::View event, api::Edit converted);
void event_to_core_group(api::View event, api::Edit converted);

}  // namespace proa::kinds
