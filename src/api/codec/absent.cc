#include "api/codec/absent.h"

namespace proa::api {

void add_zero(json::Builder& builder, const Type& type) {
  using json::Value;
  switch (type.form) {
    case Form::kString:
      return builder.add(Value::borrowed(""));
    case Form::kBool:
      return builder.add(Value::boolean(false));
    case Form::kInt32:
    case Form::kInt64:
    case Form::kDouble:
    case Form::kIntOrString:
      return builder.add(Value::integer(0));
    case Form::kMessage:
      builder.begin(json::Kind::kObject);
      for (const Field& field : type.fields) add_absent(builder, field);
      return builder.end();
    case Form::kQuantity:
      return builder.add(Value::borrowed("0"));
    case Form::kDuration:
      return builder.add(Value::borrowed("0s"));
    case Form::kSchemaOrBool:
      return builder.add(Value::boolean(false));
    case Form::kBytes:
    case Form::kAny:
    case Form::kTime:
    case Form::kMicroTime:
    case Form::kRaw:
    case Form::kJson:
    case Form::kStrings:
    case Form::kSchemaOrList:
    case Form::kSchemaOrStrings:
      return builder.add(Value());
  }
}

void add_absent(json::Builder& builder, const Field& field) {
  if (is_omitted_when_absent(field)) return;
  builder.key(field.name);
  if (is_null_when_absent(field)) return builder.add(json::Value());
  add_zero(builder, *field.type);
}

}  // namespace proa::api
