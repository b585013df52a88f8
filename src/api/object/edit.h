#pragma once

#include <string_view>

#include "api/object/view.h"
#include "json/value.h"

namespace proa::api {

// An object inside a document that is being edited, with the document's arena. Fields may be in any
// order while editing: encoding sorts them. For one thread; the document outlives it.
class Edit {
 public:
  Edit(json::Arena& arena, json::Value& value) : arena_(&arena), value_(&value) {}
  explicit Edit(json::Document& document) : Edit(document.arena(), document.root()) {}

  View view() const { return View(value_); }
  View operator[](std::string_view name) const { return view()[name]; }
  json::Value& value() const { return *value_; }
  json::Arena& arena() const { return *arena_; }

  // Text is copied.
  void set(std::string_view name, std::string_view text) const {
    set(name, json::Value::string(*arena_, text));
  }
  void set(std::string_view name, const char* text) const { set(name, std::string_view(text)); }
  void set(std::string_view name, int64_t number) const { set(name, json::Value::integer(number)); }
  void set(std::string_view name, int number) const { set(name, int64_t{number}); }
  void set(std::string_view name, bool flag) const { set(name, json::Value::boolean(flag)); }
  // REQUIRES: it lies in this arena.
  void set(std::string_view name, json::Value value) const;
  // A copy of a value from any document; an absent one removes the field.
  void copy(std::string_view name, View from) const;
  // Sets the field if it is absent or null; whether it did.
  template <typename T>
  bool set_default(std::string_view name, T value) const {
    if ((*this)[name].exists()) return false;
    set(name, std::move(value));
    return true;
  }
  void remove(std::string_view name) const;

  // The object or array with that name, created if missing.
  Edit object(std::string_view name) const;
  Edit array(std::string_view name) const;
  // The same, without creating it. REQUIRES: it is an object or array.
  Edit existing(std::string_view name) const { return {*arena_, *value_->find(name)}; }
  bool has(std::string_view name) const { return (*this)[name].exists(); }

  // For arrays.
  size_t size() const { return value_->size(); }
  Edit item(size_t index) const { return {*arena_, value_->items()[index]}; }
  void push(json::Value item) const { value_->push_back(*arena_, std::move(item)); }
  Edit push_object() const;

 private:
  json::Arena* arena_;
  json::Value* value_;
};

}  // namespace proa::api
