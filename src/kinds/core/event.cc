#include "kinds/core/event.h"

#include "kinds/core/event_conversion.h"

#include <fmt/format.h>

#include "base/strings.h"

namespace proa::kinds {

namespace event {

constexpr Column kColumns[] = {
    {.name = "Last Seen"},
    {.name = "Type"},
    {.name = "Reason"},
    {.name = "Object"},
    {.name = "Subobject", .priority = 1},
    {.name = "Source", .priority = 1},
    {.name = "Message"},
    {.name = "First Seen", .priority = 1},
    {.name = "Count", .priority = 1},
    {.name = "Name", .format = "name", .priority = 1},
};

View first_set(View first, View second) { return first.text().empty() ? second : first; }

View last_seen(View event) {
  if (event["series"].exists()) return event["series"]["lastObservedTime"];
  const View first = first_set(event["firstTimestamp"], event["eventTime"]);
  return first_set(event["lastTimestamp"], first);
}

std::string subject(View event) {
  const View object = event["involvedObject"];
  const std::string kind = to_lower(object["kind"].text());
  const std::string_view name = object["name"].text();
  return name.empty() ? kind : fmt::format("{}/{}", kind, name);
}

std::string source(View event) {
  const View component = first_set(event["source"]["component"], event["reportingComponent"]);
  const View host = first_set(event["source"]["host"], event["reportingInstance"]);
  if (host.text().empty()) return std::string(component.text());
  return fmt::format("{}, {}", component.text(), host.text());
}

int64_t count(View event) {
  if (event["series"].exists()) return event["series"]["count"].integer();
  const int64_t count = event["count"].integer();
  return count == 0 ? 1 : count;
}

// Bounds that upstream's validation names ReportingInstanceLengthLimit and the like.
constexpr size_t kMaxCharacters = 128;
constexpr size_t kMaxCharactersOfMessage = 1024;

void validate_length(View event, std::string_view name, size_t most, api::FieldErrors& errors) {
  if (event[name].text().size() <= most) return;
  errors.invalid(api::Path(name), "", fmt::format("can have at most {} characters", most));
}

void require(View event, std::string_view name, api::FieldErrors& errors) {
  if (event[name].text().empty()) errors.required(api::Path(name));
  validate_length(event, name, kMaxCharacters, errors);
}

// Events with eventTime come from clients that fill in the new fields.
void validate_new_fields(View event, std::string_view controller_field, api::FieldErrors& errors) {
  const View controller = first_set(event["reportingComponent"], event["reportingController"]);
  const api::Path path(controller_field);
  if (controller.text().empty()) errors.required(path);
  errors.invalid_each(path, controller.text(), api::check_qualified_name(controller.text()));
  require(event, "reportingInstance", errors);
  require(event, "action", errors);
  require(event, "reason", errors);
  validate_length(event, "message", kMaxCharactersOfMessage, errors);
}

void validate_namespace(View event, api::FieldErrors& errors) {
  const std::string_view own = event["metadata"]["namespace"].text();
  const std::string_view theirs = event["involvedObject"]["namespace"].text();
  const bool is_new = event["eventTime"].exists();
  // Events about cluster-scoped objects are in "default".
  const bool agrees = theirs.empty() ? own == "default" || (own.empty() && !is_new) ||
                                           (own == "kube-system" && is_new)
                                     : own == theirs || is_new;
  if (!agrees) {
    errors.invalid(api::Path("involvedObject.namespace"), theirs, "does not match event.namespace");
  }
  errors.invalid_each(api::Path("namespace"), own, api::check_dns1123_subdomain(own));
}

void validate(View object, api::FieldErrors& errors) {
  validate_event(object, "reportingComponent", errors);
}

constexpr Conversion kConversions[] = {{"events.k8s.io/v1", event_to_events_group}};

}  // namespace event

void validate_event(View event, std::string_view controller_field, api::FieldErrors& errors) {
  if (event["eventTime"].exists()) event::validate_new_fields(event, controller_field, errors);
  event::validate_namespace(event, errors);
}

std::span<const Column> event_columns() { return event::kColumns; }

void event_row(View event, Cells& cells) {
  cells.age(event::last_seen(event));
  cells.text(event["type"].text());
  cells.text(event["reason"].text());
  cells.text(event::subject(event));
  cells.text(event["involvedObject"]["fieldPath"].text());
  cells.text(event::source(event));
  cells.text(trim(event["message"].text()));
  cells.age(event::first_set(event["firstTimestamp"], event["eventTime"]));
  cells.number(event::count(event));
  cells.text(event["metadata"]["name"].text());
}

KindRules event_rules() {
  return {.kind = "v1/Event",
          .name = api::check_path_segment,
          .metadata = {.create = "", .update = ""},
          .conversions = event::kConversions,
          .validate = event::validate,
          .columns = event::kColumns,
          .row = event_row};
}

}  // namespace proa::kinds
