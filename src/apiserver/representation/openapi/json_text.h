#pragma once

#include <string>
#include <string_view>

#include "json/print.h"

namespace proa::apiserver {

// Appends JSON to a string incrementally; inserts commas.
class JsonText {
 public:
  explicit JsonText(std::string& out) : out_(out) {}

  void open(char bracket) {
    separate();
    out_ += bracket;
    wants_comma_ = false;
  }
  void close(char bracket) {
    out_ += bracket;
    wants_comma_ = true;
  }
  // The value must follow.
  void key(std::string_view name) {
    separate();
    json::print_string_to(out_, name);
    out_ += ':';
    wants_comma_ = false;
  }
  void text(std::string_view text) {
    separate();
    json::print_string_to(out_, text);
    wants_comma_ = true;
  }
  // A value, or several members, as JSON.
  void raw(std::string_view json) {
    separate();
    out_ += json;
    wants_comma_ = true;
  }

  void member(std::string_view name, std::string_view value) {
    key(name);
    text(value);
  }
  void raw_member(std::string_view name, std::string_view json) {
    key(name);
    raw(json);
  }
  template <typename Texts>
  void texts_member(std::string_view name, const Texts& values) {
    key(name);
    open('[');
    for (const std::string_view value : values) text(value);
    close(']');
  }

 private:
  void separate() {
    if (wants_comma_) out_ += ',';
  }

  std::string& out_;
  bool wants_comma_ = false;
};

}  // namespace proa::apiserver
