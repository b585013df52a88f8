#include "custom/decode/step.h"

namespace proa::custom {
namespace steps {

void append_index(std::string& out, size_t index) {
  out += '[';
  out += std::to_string(index);
  out += ']';
}

void append_unknown(std::string& out, const Step& step) {
  if (step.parent == nullptr) return;
  append_unknown(out, *step.parent);
  if (step.kind == Step::Kind::kItem) return append_index(out, step.index);
  if (!out.empty()) out += '.';
  out += step.name;
}

void append_checked(std::string& out, const Step& step) {
  if (step.parent == nullptr) return;
  append_checked(out, *step.parent);
  if (step.kind == Step::Kind::kItem) return append_index(out, step.index);
  if (!out.empty() || step.kind == Step::Kind::kAdditional) out += '.';
  out += step.name;
}

void append_field(std::string& out, const Step& step) {
  if (step.parent == nullptr) return;
  append_field(out, *step.parent);
  if (step.kind == Step::Kind::kItem) return append_index(out, step.index);
  if (step.kind == Step::Kind::kAdditional) {
    out += '[';
    out += step.name;
    out += ']';
    return;
  }
  if (!out.empty()) out += '.';
  out += step.name;
}

}  // namespace steps

std::string Step::unknown_path() const {
  std::string out;
  steps::append_unknown(out, *this);
  return out;
}

std::string Step::checked_path() const {
  std::string out;
  steps::append_checked(out, *this);
  return out;
}

std::string Step::field_path() const {
  std::string out;
  steps::append_field(out, *this);
  return out.empty() ? "<nil>" : out;
}

}  // namespace proa::custom
