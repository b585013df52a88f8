#pragma once

#include "api/object/edit.h"
#include "api/object/view.h"

namespace proa::kinds {

// An Event of group v1 in the form of events.k8s.io/v1, and back. Kind, apiVersion and metadata are
// there already.
void event_to_events_group(api::View event, api::Edit converted);
void event_to_core_group(api::View event, api::Edit converted);

}  // namespace proa::kinds
