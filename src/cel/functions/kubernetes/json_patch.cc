#include "cel/functions/tables.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace kubernetes_json_patch {

Value escape_key(Context& context, std::span<const Value> args) {
  std::string out;
  for (const char c : args[0].text()) {
    if (c == '/') {
      out += "~1";
    } else if (c == '~') {
      out += "~0";
    } else {
      out += c;
    }
  }
  return context.string(out);
}

constexpr FunctionRow kRows[] = {
    {"jsonpatch.escapeKey", "string_jsonpatch_escapeKey_string", "(string) -> string", escape_key},
};

}  // namespace kubernetes_json_patch

std::span<const FunctionRow> kubernetes_json_patch_rows() { return kubernetes_json_patch::kRows; }

}  // namespace proa::cel
