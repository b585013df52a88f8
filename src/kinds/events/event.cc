#include "kinds/events/event.h"

#include <chrono>

#include "api/validation/metadata.h"
#include "base/time.h"
#include "kinds/core/event.h"
#include "kinds/core/event_conversion.h"

namespace proa::kinds {

// Events of group events.k8s.io, which is stricter than the core group. As upstream, messages use
// the field names of the core group.
namespace events_event {

json::Document in_core_form(View event) {
  json::Document core;
  core.root() = json::Value::object();
  api::Edit(core).copy("metadata", event["metadata"]);
  event_to_core_group(event, api::Edit(core));
  return core;
}

void validate(View object, api::FieldErrors& errors) {
  const json::Document core = in_core_form(object);
  validate_event(core.root(), "reportingController", errors);
}

void validate_series(View series, api::FieldErrors& errors) {
  if (!series.exists()) return;
  if (series["count"].integer() < 2)
    errors.invalid(api::Path("series.count"), "", "should be at least 2");
  if (!series["lastObservedTime"].exists()) errors.required(api::Path("series.lastObservedTime"));
}

void validate_create(View object, api::FieldErrors& errors) {
  validate_series(object["series"], errors);
  if (!object["eventTime"].exists()) errors.required(api::Path("eventTime"));
  const std::string_view type = object["type"].text();
  if (type != "Normal" && type != "Warning")
    errors.invalid(api::Path("type"), "", "has invalid value: " + std::string(type));
  constexpr std::string_view kUnset = "needs to be unset";
  if (object["deprecatedFirstTimestamp"].exists())
    errors.invalid(api::Path("firstTimestamp"), "", kUnset);
  if (object["deprecatedLastTimestamp"].exists())
    errors.invalid(api::Path("lastTimestamp"), "", kUnset);
  if (object["deprecatedCount"].integer() != 0) errors.invalid(api::Path("count"), "", kUnset);
  const View source = object["deprecatedSource"];
  if (!source["component"].text().empty() || !source["host"].text().empty())
    errors.invalid(api::Path("source"), "", kUnset);
}

struct Fixed {
  std::string_view field;
  std::string_view path;
};

constexpr Fixed kFixed[] = {
    {"regarding", "involvedObject"},
    {"reason", "reason"},
    {"note", "message"},
    {"deprecatedSource", "source"},
    {"deprecatedFirstTimestamp", "firstTimestamp"},
    {"deprecatedLastTimestamp", "lastTimestamp"},
    {"deprecatedCount", "count"},
    {"type", "type"},
    {"action", "action"},
    {"related", "related"},
    {"reportingController", "reportingController"},
    {"reportingInstance", "reportingInstance"},
};

// Clients may truncate times to microseconds.
bool same_time(View a, View b) {
  const auto first = parse_time(a.text());
  const auto second = parse_time(b.text());
  if (!first.ok() || !second.ok()) return a == b;
  using std::chrono::floor;
  using std::chrono::microseconds;
  return floor<microseconds>(*first) == floor<microseconds>(*second);
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  if (!(object["series"] == old["series"])) validate_series(object["series"], errors);
  for (const Fixed& fixed : kFixed) {
    api::validate_immutable(object[fixed.field], old[fixed.field], api::Path(fixed.path), errors);
  }
  if (!same_time(object["eventTime"], old["eventTime"])) {
    api::validate_immutable(object["eventTime"], old["eventTime"], api::Path("eventTime"), errors);
  }
}

void row(View object, Cells& cells) {
  const json::Document core = in_core_form(object);
  event_row(core.root(), cells);
}

constexpr Conversion kConversions[] = {{"v1", event_to_core_group}};

}  // namespace events_event

KindRules events_event_rules() {
  return {
      .kind = "events.k8s.io/v1/Event",
      .validates_as_served = true,
      .conversions = events_event::kConversions,
      .validate = events_event::validate,
      .validate_create = events_event::validate_create,
      .validate_update = events_event::validate_update,
      .columns = event_columns(),
      .row = events_event::row,
  };
}

}  // namespace proa::kinds
