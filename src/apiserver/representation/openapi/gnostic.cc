#include "apiserver/representation/openapi/gnostic.h"

#include <algorithm>
#include <span>

#include "api/codec/protobuf/wire.h"
#include "base/check.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {

namespace gnostic {

using api::ReverseWriter;
using json::Value;

enum class Form : uint8_t {
  kText,
  kFlag,
  kAny,  // YAML text, of which JSON is a subset
  kMessage,
  kEntries,  // an object whose members become named entries
  kParameter,
};

struct Message;

// Maps a member of a JSON object. Lists are mapped per item.
struct Field {
  std::string_view key;
  uint32_t number = 0;
  Form form = Form::kText;
  const Message* message = nullptr;
  // The value is wrapped in a message, as its only field, with this number.
  uint32_t inner = 0;
};

struct Message {
  std::span<const Field> fields;
  uint32_t extensions = 0;  // for members that begin with "x-"
  uint32_t within = 0;      // as an entry: its number in a oneof
};

extern const Message kSchema;

constexpr Field kSchemaFields[] = {
    {"$ref", 1},
    {"format", 2},
    {"description", 4},
    {"default", 5, Form::kAny},
    {"required", 19},
    {"enum", 20, Form::kAny},
    {"additionalProperties", 21, Form::kMessage, &kSchema, 1},
    {"type", 22, Form::kText, nullptr, 1},
    {"items", 23, Form::kMessage, &kSchema, 1},
    {"allOf", 24, Form::kMessage, &kSchema},
    {"properties", 25, Form::kEntries, &kSchema, 1},
};
const Message kSchema{.fields = kSchemaFields, .extensions = 31};

constexpr Field kResponseFields[] = {
    {"description", 1},
    {"schema", 2, Form::kMessage, &kSchema, 1},
};
constexpr Message kResponse{.fields = kResponseFields, .extensions = 5, .within = 1};

constexpr Field kOperationFields[] = {
    {"tags", 1},
    {"description", 3},
    {"operationId", 5},
    {"produces", 6},
    {"consumes", 7},
    {"parameters", 8, Form::kParameter},
    {"responses", 9, Form::kEntries, &kResponse, 1},
    {"schemes", 10},
};
constexpr Message kOperation{.fields = kOperationFields, .extensions = 13};

constexpr Field kPathFields[] = {
    {"get", 2, Form::kMessage, &kOperation},     {"put", 3, Form::kMessage, &kOperation},
    {"post", 4, Form::kMessage, &kOperation},    {"delete", 5, Form::kMessage, &kOperation},
    {"options", 6, Form::kMessage, &kOperation}, {"head", 7, Form::kMessage, &kOperation},
    {"patch", 8, Form::kMessage, &kOperation},   {"parameters", 9, Form::kParameter},
};
constexpr Message kPath{.fields = kPathFields, .extensions = 10};

constexpr Field kReferenceFields[] = {{"$ref", 1}};
constexpr Message kReference{.fields = kReferenceFields};

constexpr Field kBodyFields[] = {
    {"description", 1},
    {"name", 2},
    {"in", 3},
    {"required", 4, Form::kFlag},
    {"schema", 5, Form::kMessage, &kSchema},
};
constexpr Message kBody{.fields = kBodyFields, .extensions = 6};

constexpr Field kQueryFields[] = {
    {"required", 1, Form::kFlag},
    {"in", 2},
    {"description", 3},
    {"name", 4},
    {"type", 6},
    {"format", 7},
    {"uniqueItems", 20, Form::kFlag},
};
constexpr Message kQuery{.fields = kQueryFields, .extensions = 23};

constexpr Field kInPathFields[] = {
    {"required", 1, Form::kFlag},
    {"in", 2},
    {"description", 3},
    {"name", 4},
    {"type", 5},
    {"format", 6},
    {"uniqueItems", 19, Form::kFlag},
};
constexpr Message kInPath{.fields = kInPathFields, .extensions = 22};

constexpr Field kInfoFields[] = {{"title", 1}, {"version", 2}};
constexpr Message kInfoMessage{.fields = kInfoFields};

constexpr Field kKeyFields[] = {{"type", 1}, {"name", 2}, {"in", 3}, {"description", 4}};
constexpr Message kKey{.fields = kKeyFields, .extensions = 5, .within = 2};

// Scopes of a security scheme: none are used.
constexpr Message kScopes{};

constexpr Field kDocumentFields[] = {
    {"swagger", 1},
    {"info", 2, Form::kMessage, &kInfoMessage},
    {"security", 12, Form::kEntries, &kScopes, 1},
    {"securityDefinitions", 13, Form::kEntries, &kKey, 1},
};
constexpr Message kDocument{.fields = kDocumentFields, .extensions = 16};

constexpr uint32_t kEntryName = 1;
constexpr uint32_t kEntryValue = 2;

class Writer {
 public:
  void message(const Message& message, const Value& object) {
    const std::span<const json::Member> members = object.members();
    for (auto at = members.rbegin(); at != members.rend(); ++at) {
      const json::Member& member = *at;
      const auto field = std::ranges::find(message.fields, member.key, &Field::key);
      if (field != message.fields.end()) {
        items(*field, member.value);
      } else if (message.extensions != 0 && member.key.starts_with("x-")) {
        const size_t mark = out_.size();
        any(kEntryValue, member.value);
        out_.bytes_field(kEntryName, member.key);
        out_.end_message(message.extensions, mark);
      }
    }
  }

  // A message with a name and a value.
  void entry(uint32_t number, const Message& message, std::string_view name, const Value& value) {
    const size_t mark = out_.size();
    this->message(message, value);
    if (message.within != 0) out_.end_message(message.within, mark);
    out_.end_message(kEntryValue, mark);
    out_.bytes_field(kEntryName, name);
    out_.end_message(number, mark);
  }
  void parameter_entry(uint32_t number, std::string_view name, const Value& value) {
    const size_t mark = out_.size();
    parameter(value);
    out_.end_message(kEntryValue, mark);
    out_.bytes_field(kEntryName, name);
    out_.end_message(number, mark);
  }

  std::string take() { return out_.take(); }

 private:
  void items(const Field& field, const Value& value) {
    const size_t mark = out_.size();
    if (value.is(json::Kind::kArray)) {
      const std::span<const Value> values = value.items();
      for (auto item = values.rbegin(); item != values.rend(); ++item) one(field, *item);
    } else {
      one(field, value);
    }
    if (field.inner != 0) out_.end_message(field.number, mark);
  }

  void one(const Field& field, const Value& value) {
    const uint32_t number = field.inner != 0 ? field.inner : field.number;
    const size_t mark = out_.size();
    switch (field.form) {
      case Form::kText:
        return out_.bytes_field(number, value.as_string());
      case Form::kFlag:
        return out_.varint_field(number, value.as_bool() ? 1 : 0);
      case Form::kAny:
        return any(number, value);
      case Form::kMessage:
        message(*field.message, value);
        return out_.end_message(number, mark);
      case Form::kEntries:
        return entries(number, *field.message, value.members());
      case Form::kParameter:
        return parameter_item(number, value);
    }
  }

  void entries(uint32_t number, const Message& message, std::span<const json::Member> members) {
    for (auto member = members.rbegin(); member != members.rend(); ++member) {
      entry(number, message, member->key, member->value);
    }
  }

  void any(uint32_t number, const Value& value) {
    constexpr uint32_t kYaml = 2;
    const size_t mark = out_.size();
    out_.bytes_field(kYaml, json::print(value));
    out_.end_message(number, mark);
  }

  // A parameter, or a reference to one.
  void parameter_item(uint32_t number, const Value& value) {
    constexpr uint32_t kParameter = 1;
    constexpr uint32_t kJsonReference = 2;
    const size_t mark = out_.size();
    if (value.find("$ref") != nullptr) {
      message(kReference, value);
      out_.end_message(kJsonReference, mark);
    } else {
      parameter(value);
      out_.end_message(kParameter, mark);
    }
    out_.end_message(number, mark);
  }

  void parameter(const Value& value) {
    constexpr uint32_t kBodyParameter = 1;
    constexpr uint32_t kOtherParameter = 2;
    constexpr uint32_t kQueryParameter = 3;
    constexpr uint32_t kPathParameter = 4;
    const size_t mark = out_.size();
    const Value* place = value.find("in");
    CHECK(place != nullptr);
    if (place->as_string() == "body") {
      message(kBody, value);
      return out_.end_message(kBodyParameter, mark);
    }
    const bool in_path = place->as_string() == "path";
    message(in_path ? kInPath : kQuery, value);
    out_.end_message(in_path ? kPathParameter : kQueryParameter, mark);
    out_.end_message(kOtherParameter, mark);
  }

  ReverseWriter out_;
};

// Whether a Writer can write it.
class Fit {
 public:
  static bool message(const Message& message, const Value& object) {
    if (!object.is(json::Kind::kObject)) return false;
    return std::ranges::all_of(object.members(), [&](const json::Member& member) {
      const auto field = std::ranges::find(message.fields, member.key, &Field::key);
      return field == message.fields.end() || items(*field, member.value);
    });
  }

  static bool parameter(const Value& value) {
    const Value* place = value.find("in");
    if (place == nullptr || !place->is(json::Kind::kString)) return false;
    if (place->as_string() == "body") return message(kBody, value);
    return message(place->as_string() == "path" ? kInPath : kQuery, value);
  }

 private:
  static bool items(const Field& field, const Value& value) {
    if (!value.is(json::Kind::kArray)) return one(field, value);
    return std::ranges::all_of(value.items(), [&](const Value& item) { return one(field, item); });
  }

  static bool one(const Field& field, const Value& value) {
    switch (field.form) {
      case Form::kText:
        return value.is(json::Kind::kString);
      case Form::kFlag:
        return value.is(json::Kind::kBool);
      case Form::kAny:
        return true;
      case Form::kMessage:
        return message(*field.message, value);
      case Form::kEntries:
        return value.is(json::Kind::kObject) &&
               std::ranges::all_of(value.members(), [&](const json::Member& member) {
                 return message(*field.message, member.value);
               });
      case Form::kParameter:
        return value.find("$ref") != nullptr ? message(kReference, value) : parameter(value);
    }
    return false;
  }
};

json::Document parse(std::string_view json) {
  auto parsed = json::parse(json);
  CHECK(parsed.ok());
  return std::move(*parsed);
}

// The tag and the length of a field that is a message.
void begin(std::string& out, uint32_t number, size_t length) {
  constexpr uint32_t kLengthDelimited = 2;
  out += static_cast<char>(number << 3 | kLengthDelimited);
  for (; length >= 0x80; length >>= 7) out += static_cast<char>((length & 0x7f) | 0x80);
  out += static_cast<char>(length);
}

}  // namespace gnostic

std::string gnostic_members(std::string_view json) {
  const json::Document document = gnostic::parse(json);
  gnostic::Writer writer;
  writer.message(gnostic::kDocument, document.root());
  return writer.take();
}

std::string gnostic_path(std::string_view path, std::string_view json) {
  constexpr uint32_t kPathEntry = 2;
  const json::Document document = gnostic::parse(json);
  gnostic::Writer writer;
  writer.entry(kPathEntry, gnostic::kPath, path, document.root());
  return writer.take();
}

std::string gnostic_definition(std::string_view name, std::string_view json) {
  const json::Document document = gnostic::parse(json);
  gnostic::Writer writer;
  writer.entry(1, gnostic::kSchema, name, document.root());
  return writer.take();
}

std::string gnostic_parameter(std::string_view name, std::string_view json) {
  const json::Document document = gnostic::parse(json);
  gnostic::Writer writer;
  writer.parameter_entry(1, name, document.root());
  return writer.take();
}

bool fits_gnostic_path(const json::Value& value) {
  return gnostic::Fit::message(gnostic::kPath, value);
}
bool fits_gnostic_definition(const json::Value& value) {
  return gnostic::Fit::message(gnostic::kSchema, value);
}
bool fits_gnostic_parameter(const json::Value& value) { return gnostic::Fit::parameter(value); }

void begin_gnostic_paths(std::string& out, size_t bytes) { gnostic::begin(out, 8, bytes); }
void begin_gnostic_definitions(std::string& out, size_t bytes) { gnostic::begin(out, 9, bytes); }
void begin_gnostic_parameters(std::string& out, size_t bytes) { gnostic::begin(out, 10, bytes); }

}  // namespace proa::apiserver
