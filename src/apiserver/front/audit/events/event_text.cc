#include "apiserver/front/audit/events/event_text.h"

#include "api/codec/protobuf/envelope.h"
#include "api/object/edit.h"
#include "api/schema/builtin.h"
#include "api/validation/go_text.h"
#include "apiserver/front/audit/events/source_ips.h"
#include "json/parse.h"
#include "json/print.h"
#include "json/yaml.h"

namespace proa::apiserver::audit {
namespace event_text {

using api::Edit;
using api::View;

constexpr std::string_view kTruncated = "audit.k8s.io/truncated";

// Writes the members of one JSON object.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) { out_ += '{'; }

  void text(std::string_view name, std::string_view value) {
    key(name);
    json::print_string_to(out_, value);
  }
  void text_if_any(std::string_view name, std::string_view value) {
    if (!value.empty()) text(name, value);
  }
  // The value is JSON.
  void raw(std::string_view name, std::string_view value) {
    key(name);
    out_ += value;
  }
  template <typename Texts>
  void texts_if_any(std::string_view name, const Texts& values) {
    if (values.empty()) return;
    key(name);
    print_texts(values);
  }
  std::string& key(std::string_view name) {
    if (out_.back() != '{') out_ += ',';
    json::print_string_to(out_, name);
    out_ += ':';
    return out_;
  }
  template <typename Texts>
  void print_texts(const Texts& values) {
    out_ += '[';
    for (const std::string& value : values) {
      if (out_.back() != '[') out_ += ',';
      json::print_string_to(out_, value);
    }
    out_ += ']';
  }
  void end() { out_ += '}'; }

 private:
  std::string& out_;
};

void print_user(std::string& out, const User* user) {
  Members members(out);
  if (user != nullptr) {
    members.text_if_any("username", user->name);
    members.text_if_any("uid", user->uid);
    members.texts_if_any("groups", user->groups);
    if (!user->extra.empty()) {
      std::map<std::string_view, const std::vector<std::string>*> sorted;
      for (const auto& [key, values] : user->extra) sorted[key] = &values;
      Members extra(members.key("extra"));
      for (const auto& [key, values] : sorted) {
        extra.key(key);
        extra.print_texts(*values);
      }
      extra.end();
    }
  }
  members.end();
}

void print_reference(std::string& out, const ObjectReference& object, const ObjectNames& names) {
  const auto either = [](const std::string& stated, const std::string& found) {
    return std::string_view(stated.empty() ? found : stated);
  };
  Members members(out);
  members.text_if_any("resource", object.resource);
  members.text_if_any("namespace", either(object.name_space, names.name_space));
  members.text_if_any("name", either(object.name, names.name));
  members.text_if_any("uid", either(object.uid, names.uid));
  members.text_if_any("apiGroup", object.group);
  members.text_if_any("apiVersion", object.version);
  members.text_if_any("resourceVersion", either(object.resource_version, names.resource_version));
  members.text_if_any("subresource", object.subresource);
  members.end();
}

std::string joined(const std::vector<Bytes>& parts) {
  std::string all;
  for (const Bytes& part : parts) all += part.view();
  return all;
}

// The body of a response, whatever its encoding; nullopt: not a document.
std::optional<json::Document> read_body(std::string_view content_type, std::string_view text) {
  const auto or_none = [](Result<json::Document> read) {
    return read ? std::optional(std::move(*read)) : std::nullopt;
  };
  if (api::is_enveloped(text)) return or_none(api::from_enveloped(text, api::builtin_schema()));
  if (content_type.find("yaml") != std::string_view::npos) return or_none(json::parse_yaml(text));
  if (content_type.find("json") != std::string_view::npos) return or_none(json::parse(text));
  return std::nullopt;
}

// What a body tells about the response.
struct Shown {
  std::string status;  // the members of a Status before its code
  std::string object;  // JSON; empty: none
};

void remove_managers(const Edit& object) {
  if (object["metadata"].is(json::Kind::kObject))
    object.existing("metadata").remove("managedFields");
}

// Of an object, the items of a list, and the objects in a Table's rows.
void remove_all_managers(json::Document& document) {
  const Edit root(document);
  remove_managers(root);
  if (root["items"].is(json::Kind::kArray)) {
    const Edit items = root.existing("items");
    for (size_t i = 0; i < items.size(); ++i) {
      if (items.item(i).view().is(json::Kind::kObject)) remove_managers(items.item(i));
    }
  }
  if (!root["rows"].is(json::Kind::kArray)) return;
  const Edit rows = root.existing("rows");
  for (size_t i = 0; i < rows.size(); ++i) {
    const Edit row = rows.item(i);
    if (row.view().is(json::Kind::kObject) && row["object"].is(json::Kind::kObject))
      remove_managers(row.existing("object"));
  }
}

// In upstream's order, which YAML does not keep.
void print_details(std::string& out, View details) {
  Members members(out);
  for (const char* name : {"name", "group", "kind", "uid"})
    members.text_if_any(name, details[name].text());
  if (!details["causes"].empty()) {
    members.key("causes") += '[';
    for (const View cause : details["causes"].items()) {
      if (out.back() != '[') out += ',';
      Members fields(out);
      for (const char* name : {"reason", "message", "field"})
        fields.text_if_any(name, cause[name].text());
      fields.end();
    }
    out += ']';
  }
  if (const int64_t seconds = details["retryAfterSeconds"].integer(); seconds != 0)
    members.raw("retryAfterSeconds", std::to_string(seconds));
  members.end();
}

std::string status_members(View status) {
  std::string out;
  Members members(out);
  members.raw("metadata", "{}");
  members.text_if_any("status", status["status"].text());
  members.text_if_any("message", status["message"].text());
  members.text_if_any("reason", status["reason"].text());
  if (status["details"].exists()) print_details(members.key("details"), status["details"]);
  return out;
}

Shown read_shown(const Event& event, bool with_object) {
  Shown shown;
  const SentBody& body = event.body;
  if (body.parts.empty()) return shown;
  const std::string text = joined(body.parts);
  std::optional<json::Document> document = read_body(body.content_type, text);
  if (!document) return shown;
  const View root = document->root();
  // Other documents (versions, OpenAPI) are not objects.
  if (root["kind"].text().empty() || root["apiVersion"].text().empty()) return shown;
  if (root["kind"].text() == "Status" && root["apiVersion"].text() == "v1")
    shown.status = status_members(root);
  if (!with_object || !body.is_object) return shown;
  if (event.request->omits_managed_fields) remove_all_managers(*document);
  shown.object = json::print(document->root());
  return shown;
}

void print_status(std::string& out, const Event& event, const Shown& shown) {
  if (!shown.status.empty()) {
    out += shown.status;
  } else {
    out += event.status.empty() ? R"({"metadata":{})" : event.status;
  }
  out += ",\"code\":" + std::to_string(event.code) + "}";
}

// Empty: none, or it is not a document.
std::string request_object(const Event& event) {
  const bool is_patch = event.request_object.empty();
  if (!is_patch && !event.request->omits_managed_fields) return event.request_object;
  const std::string_view text =
      is_patch ? event.patch.view() : std::string_view(event.request_object);
  if (text.empty()) return {};
  Result<json::Document> document = json::parse(text);
  // An apply patch may be YAML.
  if (!document && is_patch) document = json::parse_yaml(text);
  if (!document) return {};
  if (!is_patch) remove_all_managers(*document);
  return json::print(document->root());
}

void print_annotations(Members& members, const Event& event, bool is_truncated) {
  std::map<std::string_view, std::string_view> all(event.annotations.begin(),
                                                   event.annotations.end());
  if (is_truncated) all.emplace(kTruncated, "true");
  if (event.access) {
    all.emplace("authorization.k8s.io/decision", event.access->allowed ? "allow" : "forbid");
    all.emplace("authorization.k8s.io/reason", event.access->reason);
  }
  if (all.empty()) return;
  Members annotations(members.key("annotations"));
  for (const auto& [key, value] : all) annotations.text(key, value);
  annotations.end();
}

}  // namespace event_text

std::string event_json(const Event& event, WithType type, WithObjects objects) {
  using namespace event_text;  // NOLINT: of this file only
  const RequestFacts& request = *event.request;
  const bool with_objects = objects == WithObjects::kYes;
  std::string out;
  out.reserve(1024);
  Members members(out);
  if (type == WithType::kYes) {
    members.text("kind", "Event");
    members.text("apiVersion", "audit.k8s.io/v1");
  }
  members.text("level", name_of(request.level));
  members.text("auditID", request.audit_id);
  members.text("stage", name_of(event.stage));
  members.text("requestURI", request.uri);
  members.text("verb", request.verb);
  print_user(members.key("user"), request.user.get());
  if (event.impersonated != nullptr) {
    print_user(members.key("impersonatedUser"), event.impersonated.get());
  }
  if (!event.impersonation_constraint.empty()) {
    Members metadata(members.key("authenticationMetadata"));
    metadata.text("impersonationConstraint", event.impersonation_constraint);
    metadata.end();
  }
  members.texts_if_any("sourceIPs", source_ips(request));
  members.text_if_any("userAgent", request.user_agent);
  if (request.object) print_reference(members.key("objectRef"), *request.object, event.names);
  Shown shown;
  if (event.code != 0) {
    shown = read_shown(event, with_objects && request.level == Level::kRequestResponse);
    print_status(members.key("responseStatus"), event, shown);
  }
  if (with_objects && request.level >= Level::kRequest) {
    const std::string object = request_object(event);
    if (!object.empty()) members.raw("requestObject", object);
    if (!shown.object.empty()) members.raw("responseObject", shown.object);
  }
  members.text("requestReceivedTimestamp", format_micro_time(request.received));
  members.text("stageTimestamp", format_micro_time(event.at));
  print_annotations(members, event, event.is_truncated || !with_objects);
  members.end();
  return out;
}

std::string event_line(const Event& event) {
  const RequestFacts& request = *event.request;
  const auto list = [](const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) {
      if (!all.empty()) all += ',';
      all += api::quoted(text);
    }
    return all;
  };
  const auto pair = [](std::string_view name, std::string_view value) {
    return " " + std::string(name) + "=" + api::quoted(value);
  };
  const bool named = request.user != nullptr && !request.user->name.empty();
  const User* const other = event.impersonated.get();
  const std::vector<std::string> from = source_ips(request);
  std::string_view name_space = event.names.name_space;
  if (request.object && !request.object->name_space.empty())
    name_space = request.object->name_space;
  std::string line = format_micro_time(request.received) + " AUDIT:";
  line += pair("id", request.audit_id) + pair("stage", name_of(event.stage));
  line += pair("ip", from.empty() ? "<unknown>" : from.front()) + pair("method", request.verb);
  line += pair("user", named ? request.user->name : "<none>");
  line += pair("groups",
               named && !request.user->groups.empty() ? list(request.user->groups) : "<none>");
  line += pair("as", other != nullptr ? other->name : "<self>");
  line += pair("asgroups",
               other != nullptr && !other->groups.empty() ? list(other->groups) : "<lookup>");
  line += pair("user-agent", request.user_agent);
  line += pair("namespace", name_space.empty() ? "<none>" : name_space);
  line += pair("uri", request.uri);
  line += " response=\"" + (event.code == 0 ? "<deferred>" : std::to_string(event.code)) + "\"";
  return line;
}

}  // namespace proa::apiserver::audit
