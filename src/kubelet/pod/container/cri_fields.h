#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/object/edit.h"

namespace proa::kubelet {

// CRI messages leave out empty fields: absent and empty are the same in protobuf.

inline void write_text(const api::Edit& edit, std::string_view name, std::string_view text) {
  if (!text.empty()) edit.set(name, text);
}
inline void write_flag(const api::Edit& edit, std::string_view name, bool flag) {
  if (flag) edit.set(name, true);
}
inline void write_number(const api::Edit& edit, std::string_view name, int64_t number) {
  if (number != 0) edit.set(name, number);
}
inline void write_texts(const api::Edit& edit, std::string_view name,
                        const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  const api::Edit array = edit.array(name);
  for (const std::string& text : texts) array.push(json::Value::string(edit.arena(), text));
}

}  // namespace proa::kubelet
