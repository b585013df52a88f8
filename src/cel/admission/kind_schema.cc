#include "cel/admission/kind_schema.h"

#include <algorithm>
#include <vector>

#include "api/object/edit.h"

namespace proa::cel {
namespace kind_schemas {

using api::Edit;
using api::Form;

class Writer {
 public:
  void write_field(const api::Field& field, Edit schema) {
    switch (field.shape) {
      case api::Shape::kSingle:
        return write(*field.type, schema);
      case api::Shape::kList:
        schema.set("type", "array");
        return write(*field.type, schema.object("items"));
      case api::Shape::kMap:
        schema.set("type", "object");
        return write(*field.type, schema.object("additionalProperties"));
    }
  }

  void write(const api::Type& type, Edit schema) {
    switch (type.form) {
      case Form::kString:
      case Form::kDuration:
        return schema.set("type", "string");
      case Form::kBool:
        return schema.set("type", "boolean");
      case Form::kInt32:
      case Form::kInt64:
        return schema.set("type", "integer");
      case Form::kDouble:
        return schema.set("type", "number");
      case Form::kBytes:
        return write_text("byte", schema);
      case Form::kTime:
      case Form::kMicroTime:
        return write_text("date-time", schema);
      case Form::kIntOrString:
        return schema.set("x-kubernetes-int-or-string", true);
      case Form::kStrings:
        schema.set("type", "array");
        return schema.object("items").set("type", "string");
      case Form::kRaw:
        return schema.set("type", "object");
      case Form::kMessage:
        return write_message(type, schema);
      // Upstream's schemas of these state no type.
      case Form::kQuantity:
      case Form::kAny:
      case Form::kJson:
      case Form::kSchemaOrList:
      case Form::kSchemaOrBool:
      case Form::kSchemaOrStrings:
        return;
    }
  }

 private:
  static void write_text(std::string_view format, Edit schema) {
    schema.set("type", "string");
    schema.set("format", format);
  }

  void write_message(const api::Type& type, Edit schema) {
    schema.set("type", "object");
    if (std::ranges::find(around_, &type) != around_.end()) return;
    around_.push_back(&type);
    const Edit properties = schema.object("properties");
    for (const api::Field& field : type.fields) write_field(field, properties.object(field.name));
    around_.pop_back();
  }

  std::vector<const api::Type*> around_;  // those that are being written
};

}  // namespace kind_schemas

json::Document kind_schema(const api::Type& kind) {
  json::Document document({}, json::Value::object());
  kind_schemas::Writer().write(kind, api::Edit(document));
  return document;
}

}  // namespace proa::cel
