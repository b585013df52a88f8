#include "client/remote/answers.h"

#include "api/object/view.h"
#include "client/status_json.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::client {
namespace answers {

Status malformed(std::string_view what) {
  return {Reason::kInternalError, "the server did not return " + std::string(what)};
}

// The document of an object, printed; items of lists are given the kind that the list implies.
std::string item_text(const json::Value& item, std::string_view kind,
                      std::string_view api_version) {
  std::string text = json::print(item);
  if (kind.empty() || item.find("kind") != nullptr) return text;
  std::string head = "{\"kind\":";
  json::print_string_to(head, kind);
  head += ",\"apiVersion\":";
  json::print_string_to(head, api_version);
  if (item.size() > 0) head += ',';
  return head.append(text, 1);
}

// It is held for long: print() leaves up to half of the text's memory unused.
api::ObjectPtr make_object(std::string text) {
  text.shrink_to_fit();
  return api::Object::make(std::move(text));
}

std::optional<EventType> event_type(std::string_view name) {
  if (name == "ADDED") return EventType::kAdded;
  if (name == "MODIFIED") return EventType::kModified;
  if (name == "DELETED") return EventType::kDeleted;
  if (name == "BOOKMARK") return EventType::kBookmark;
  return std::nullopt;
}

Result<Event> read_event(std::string_view line) {
  const Result<json::Document> document = json::parse(line);
  if (!document) return malformed("a watch event");
  const api::View event = document->root();
  if (event["type"].text() == "ERROR") return expired_if_gone(status_from(event["object"]));
  const std::optional<EventType> type = event_type(event["type"].text());
  if (!type || !event["object"].is(json::Kind::kObject)) return malformed("a watch event");
  return Event{*type, make_object(json::print(*event["object"].value()))};
}

}  // namespace answers

Status expired_if_gone(const Status& status) {
  if (status.code() != 410 || status.is(Reason::kExpired)) return status;
  return Status(Reason::kExpired, status.message()).with_details(status.details());
}

Result<api::ObjectPtr> read_object(std::string_view body) {
  const Result<json::Document> document = json::parse(body);
  if (!document || !document->root().is(json::Kind::kObject))
    return answers::malformed("an object");
  return answers::make_object(json::print(document->root()));
}

Result<ObjectList> read_list(std::string_view body) {
  const Result<json::Document> document = json::parse(body);
  if (!document) return answers::malformed("a list");
  const api::View list = document->root();
  std::string_view kind = list["kind"].text();
  if (!kind.ends_with("List")) return answers::malformed("a list");
  kind.remove_suffix(4);
  const api::View metadata = list["metadata"];
  ObjectList found{.items = {},
                   .resource_version = std::string(metadata["resourceVersion"].text()),
                   .continue_token = std::string(metadata["continue"].text())};
  found.items.reserve(list["items"].size());
  for (const json::Value& item : list["items"].items()) {
    if (!item.is(json::Kind::kObject)) return answers::malformed("a list of objects");
    found.items.push_back(
        answers::make_object(answers::item_text(item, kind, list["apiVersion"].text())));
  }
  return found;
}

Result<std::vector<Event>> WatchLines::take() {
  std::vector<Event> events;
  size_t begin = 0;
  while (true) {
    const size_t end = buffer_.find('\n', std::max(begin, searched_));
    if (end == std::string::npos) break;
    const std::string_view line = std::string_view(buffer_).substr(begin, end - begin);
    if (!line.empty()) {
      Result<Event> event = answers::read_event(line);
      if (!event && events.empty()) return event.status();
      if (!event) break;  // parsed again by the next call
      events.push_back(std::move(*event));
    }
    begin = end + 1;
  }
  buffer_.erase(0, begin);
  const bool whole_line_waits = buffer_.find('\n') != std::string::npos;
  searched_ = whole_line_waits ? 0 : buffer_.size();
  if (!whole_line_waits && buffer_.size() > longest_) {
    return Status(Reason::kRequestEntityTooLarge, "a watch event is too large");
  }
  return events;
}

}  // namespace proa::client
