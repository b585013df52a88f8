#include "api/object/edit.h"

namespace proa::api {

namespace edit {

Edit child(const Edit& parent, std::string_view name, json::Kind kind) {
  json::Value* found = parent.value().find(name);
  if (found == nullptr || !found->is(kind)) {
    found = &parent.value().set(
        parent.arena(), name,
        kind == json::Kind::kArray ? json::Value::array() : json::Value::object());
  }
  return {parent.arena(), *found};
}

}  // namespace edit

void Edit::set(std::string_view name, json::Value value) const {
  value_->set(*arena_, name, std::move(value));
}

void Edit::copy(std::string_view name, View from) const {
  if (!from.exists()) {
    remove(name);
    return;
  }
  set(name, from.value()->copy(*arena_));
}

void Edit::remove(std::string_view name) const {
  if (value_->is(json::Kind::kObject)) value_->remove(name);
}

Edit Edit::object(std::string_view name) const {
  return edit::child(*this, name, json::Kind::kObject);
}

Edit Edit::array(std::string_view name) const {
  return edit::child(*this, name, json::Kind::kArray);
}

Edit Edit::push_object() const {
  push(json::Value::object());
  return item(size() - 1);
}

}  // namespace proa::api
