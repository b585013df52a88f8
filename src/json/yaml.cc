#include "json/yaml.h"

#include <fmt/format.h>
#include <yaml.h>

#include <map>
#include <optional>

#include "base/encoding.h"
#include "json/yaml_scalar.h"

namespace proa::json {
namespace yaml {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

std::string_view text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

struct Event : yaml_event_t {
  Event() : yaml_event_t{} {}
  ~Event() { yaml_event_delete(this); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
};

// Builds documents from libyaml's events. Recursion is bounded by kMaxDepth.
class Reader {
 public:
  Reader(std::string_view text, const YamlOptions& options) : options_(options) {
    CHECK(yaml_parser_initialize(&parser_) == 1);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    if (text.data() == nullptr) text = "";  // libyaml rejects null, even for empty text
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Reader() { yaml_parser_delete(&parser_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Result<std::vector<Document>> documents() {
    std::vector<Document> documents;
    while (true) {
      Event event;
      TRY(next(event));
      if (event.type == YAML_STREAM_END_EVENT) return documents;
      if (event.type != YAML_DOCUMENT_START_EVENT) continue;
      if (documents.size() >= options_.max_documents) {
        return failure(event, fmt::format("more than {} documents", options_.max_documents));
      }
      Arena arena;
      arena_ = &arena;
      anchors_.clear();
      Event first;
      TRY(next(first));
      Value root = TRY(node(first, 0));
      documents.emplace_back(std::move(arena), std::move(root));
    }
  }

 private:
  // The node of an anchor. Nullopt while that node is being read: an alias there would be a cycle.
  using Anchors = std::map<std::string, std::optional<Value>, std::less<>>;

  static Status failure(const yaml_mark_t& mark, std::string_view what) {
    return {Reason::kBadRequest, fmt::format("invalid YAML at line {}: {}", mark.line + 1, what)};
  }
  static Status failure(const Event& event, std::string_view what) {
    return failure(event.start_mark, what);
  }

  Result<void> next(Event& event) {
    if (yaml_parser_parse(&parser_, &event) == 1) return {};
    return failure(parser_.problem_mark,
                   parser_.problem == nullptr ? "syntax error" : parser_.problem);
  }

  // Every node comes by here; so memory is checked often enough.
  Result<void> pay(size_t values) const {
    if (options_.budget == nullptr) return {};
    options_.budget->take_values(values);
    options_.budget->holds(arena_->reserved());
    return options_.budget->check();
  }

  Result<Value> node(const Event& event, size_t depth) {
    TRY(pay(1));
    switch (event.type) {
      case YAML_ALIAS_EVENT:
        return alias(event, depth);
      case YAML_SCALAR_EVENT: {
        Value value = TRY(scalar(event));
        return anchored(text_of(event.data.scalar.anchor), std::move(value));
      }
      case YAML_SEQUENCE_START_EVENT:
        return sequence(event, depth);
      case YAML_MAPPING_START_EVENT:
        return mapping(event, depth);
      default:
        return failure(event, "a value is missing");
    }
  }

  Result<Value> sequence(const Event& start, size_t depth) {
    if (depth >= kMaxDepth) return failure(start, "nested too deeply");
    const std::string_view anchor = text_of(start.data.sequence_start.anchor);
    open_anchor(anchor);
    Value array = Value::array();
    while (true) {
      Event event;
      TRY(next(event));
      if (event.type == YAML_SEQUENCE_END_EVENT) return anchored(anchor, std::move(array));
      Value item = TRY(node(event, depth + 1));
      array.push_back(*arena_, std::move(item));
    }
  }

  Result<Value> mapping(const Event& start, size_t depth) {
    if (depth >= kMaxDepth) return failure(start, "nested too deeply");
    const std::string_view anchor = text_of(start.data.mapping_start.anchor);
    open_anchor(anchor);
    Value object = Value::object();
    Value merged = Value::object();  // from "<<": for keys that the mapping itself lacks
    while (true) {
      Event key;
      TRY(next(key));
      if (key.type == YAML_MAPPING_END_EVENT) break;
      if (is_merge_key(key)) {
        TRY(merge(key, merged, depth));
        continue;
      }
      if (key.type != YAML_SCALAR_EVENT && key.type != YAML_ALIAS_EVENT) {
        return failure(key, "a key must be a scalar");
      }
      const Value resolved = TRY(node(key, depth + 1));
      auto name = yaml_key_text(resolved);
      if (!name) return failure(key, name.status().message());
      if (object.find(*name) != nullptr) TRY(report_duplicate(key, *name));
      Event event;
      TRY(next(event));
      Value value = TRY(node(event, depth + 1));
      object.set(*arena_, *name, std::move(value));
    }
    move_members(object, merged);
    return anchored(anchor, std::move(object));
  }

  // Fails if nobody wants to know of them.
  Result<void> report_duplicate(const Event& key, std::string_view name) const {
    constexpr size_t kMaxReported = 100;
    if (options_.duplicates == nullptr)
      return failure(key, fmt::format("key \"{}\" is already set in this mapping", name));
    if (options_.duplicates->size() < kMaxReported) {
      options_.duplicates->push_back(
          fmt::format("line {}: key \"{}\" already set in map", key.start_mark.line + 1, name));
    }
    return {};
  }

  static bool is_merge_key(const Event& event) {
    if (event.type != YAML_SCALAR_EVENT) return false;
    const auto& scalar = event.data.scalar;
    return std::string_view(reinterpret_cast<const char*>(scalar.value), scalar.length) == "<<" &&
           (scalar.style == YAML_PLAIN_SCALAR_STYLE ||
            text_of(scalar.tag) == "tag:yaml.org,2002:merge");
  }

  // The value of "<<": a mapping, or a list of mappings, the first of which wins.
  Result<void> merge(const Event& key, Value& merged, size_t depth) {
    Event event;
    TRY(next(event));
    Value source = TRY(node(event, depth + 1));
    if (source.is(Kind::kObject)) {
      move_members(merged, source);
      return {};
    }
    for (Value& item : source.items()) {
      if (!item.is(Kind::kObject)) return failure(key, "<< takes mappings only");
      move_members(merged, item);
    }
    if (!source.is(Kind::kArray)) return failure(key, "<< takes mappings only");
    return {};
  }

  // Moves members that `target` lacks out of `source`.
  void move_members(Value& target, Value& source) {
    for (const Member& member : source.members()) {
      if (target.find(member.key) == nullptr) {
        target.set_borrowed(*arena_, member.key, std::move(*source.find(member.key)));
      }
    }
  }

  Result<Value> scalar(const Event& event) {
    const auto& scalar = event.data.scalar;
    // The event is freed; its text is copied to the arena.
    const std::string_view text =
        arena_->copy({reinterpret_cast<const char*>(scalar.value), scalar.length});
    std::string_view tag = text_of(scalar.tag);
    if (tag.empty()) {
      if (scalar.style != YAML_PLAIN_SCALAR_STYLE) return Value::borrowed(text);
    } else if (!tag.starts_with(kTagPrefix)) {
      return Value::borrowed(text);  // a custom tag, or "!": a string
    } else {
      tag.remove_prefix(kTagPrefix.size());
      if (tag == "binary") return binary(event, text);
      if (tag != "null" && tag != "bool" && tag != "int" && tag != "float") {
        return Value::borrowed(text);
      }
    }
    auto value = resolve_yaml_scalar(text);
    if (!value) return failure(event, value.status().message());
    if (!tag.empty() && !tag_fits(tag, *value)) {
      return failure(event, fmt::format("\"{}\" is not a valid {}", text, tag));
    }
    return value;
  }

  static bool tag_fits(std::string_view tag, const Value& value) {
    switch (value.kind()) {
      case Kind::kNull:
        return tag == "null";
      case Kind::kBool:
        return tag == "bool";
      case Kind::kInt:
        return tag == "int" || tag == "float";
      case Kind::kDouble:
        return tag == "float";
      default:
        return false;
    }
  }

  Result<Value> binary(const Event& event, std::string_view text) {
    std::string plain(text);
    std::erase_if(plain, [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
    const auto bytes = from_base64(plain);
    if (!bytes) return failure(event, "!!binary value is not base64");
    return Value::string(*arena_, *bytes);
  }

  void open_anchor(std::string_view anchor) {
    if (!anchor.empty()) anchors_.insert_or_assign(std::string(anchor), std::nullopt);
  }

  Result<Value> anchored(std::string_view anchor, Value value) {
    if (anchor.empty()) return value;
    if (!spend(value)) return failure(parser_.mark, too_many_aliases());
    TRY(pay(0));
    anchors_.insert_or_assign(std::string(anchor), share(value));
    return value;
  }

  Result<Value> alias(const Event& event, size_t depth) {
    const std::string_view name = text_of(event.data.alias.anchor);
    const auto anchor = anchors_.find(name);
    if (anchor == anchors_.end()) return failure(event, fmt::format("unknown anchor \"{}\"", name));
    if (!anchor->second) return failure(event, fmt::format("anchor \"{}\" contains itself", name));
    if (depth + anchor->second->depth() > kMaxDepth) return failure(event, "nested too deeply");
    if (!spend(*anchor->second)) return failure(event, too_many_aliases());
    TRY(pay(0));
    return share(*anchor->second);
  }

  // A copy of the tree; only text, which is immutable, is shared.
  Value share(const Value& value) {
    switch (value.kind()) {
      case Kind::kString:
        return Value::borrowed(value.as_string());
      case Kind::kArray: {
        Value array = Value::array();
        for (const Value& item : value.items()) array.push_back(*arena_, share(item));
        return array;
      }
      case Kind::kObject: {
        Value object = Value::object();
        for (const Member& member : value.members()) {
          object.set_borrowed(*arena_, member.key, share(member.value));
        }
        return object;
      }
      default:
        return value.copy(*arena_);
    }
  }

  std::string too_many_aliases() const {
    return fmt::format("anchors and aliases add more than {} bytes", options_.max_alias_bytes);
  }

  // Charges the size of an anchor or alias; false if that is too much.
  bool spend(const Value& value) {
    if (options_.budget != nullptr) options_.budget->take_values(1);
    size_t cost = sizeof(Member) + (value.is(Kind::kString) ? value.as_string().size() : 0);
    for (const Member& member : value.members()) cost += member.key.size();
    if (cost > options_.max_alias_bytes - spent_) return false;
    spent_ += cost;
    for (const Value& item : value.items()) {
      if (!spend(item)) return false;
    }
    for (const Member& member : value.members()) {
      if (!spend(member.value)) return false;
    }
    return true;
  }

  const YamlOptions& options_;
  yaml_parser_t parser_;
  Arena* arena_ = nullptr;
  Anchors anchors_;
  size_t spent_ = 0;
};

// libyaml compares every %TAG directive with all others.
bool has_many_directives(std::string_view text) {
  constexpr std::string_view kStart = "\n%TAG";
  constexpr size_t kMost = 64;
  size_t found = 0;
  for (size_t at = text.find(kStart); at != std::string_view::npos && found <= kMost;
       at = text.find(kStart, at + kStart.size())) {
    ++found;
  }
  return found > kMost;
}

}  // namespace yaml

Result<std::vector<Document>> parse_yaml_stream(std::string_view text, const YamlOptions& options) {
  if (text.size() > options.max_size) {
    return Status(Reason::kRequestEntityTooLarge,
                  fmt::format("YAML text of {} bytes is longer than the limit of {}", text.size(),
                              options.max_size));
  }
  if (yaml::has_many_directives(text))
    return Status(Reason::kBadRequest, "invalid YAML: too many %TAG directives");
  return yaml::Reader(text, options).documents();
}

Result<Document> parse_yaml(std::string_view text, const YamlOptions& options) {
  auto documents = TRY(parse_yaml_stream(text, options));
  if (documents.empty()) return Document();
  if (documents.size() > 1) {
    return Status(Reason::kBadRequest,
                  fmt::format("expected one YAML document, got {}", documents.size()));
  }
  return std::move(documents.front());
}

}  // namespace proa::json
