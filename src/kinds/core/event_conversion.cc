#include "kinds/core/event_conversion.h"

#include <span>

namespace proa::kinds {

namespace event_conversion {

struct Name {
  std::string_view core;
  std::string_view events;
};

constexpr Name kNames[] = {
    {"involvedObject", "regarding"},
    {"reason", "reason"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"type", "type"},
    {"eventTime", "eventTime"},
    {"series", "series"},
    {"action", "action"},
    {"related", "related"},
    {"reportingComponent", "reportingController"},
    {"reportingInstance", "reportingInstance"},
};

}  // namespace event_conversion

void event_to_events_group(api::View event, api::Edit converted) {
  for (const event_conversion::Name& name : event_conversion::kNames)
    converted.copy(name.events, event[name.core]);
}

void event_to_core_group(api::View event, api::Edit converted) {
  for (const event_conversion::Name& name : event_conversion::kNames)
    converted.copy(name.core, event[name.events]);
}

}  // namespace proa::kinds
