#include "cel/check/format_check.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "cel/syntax/format_precision.h"

namespace proa::cel {
namespace format_check {

bool is_one_of(const Type& type, std::initializer_list<TypeKind> kinds) {
  return type.is(TypeKind::kDyn) || std::find(kinds.begin(), kinds.end(), type.kind) != kinds.end();
}

// The first expression that %s cannot print; null if there is none.
const Expr* not_printable(const Expr* expr) {
  if (!is_one_of(*expr->type,
                 {TypeKind::kList, TypeKind::kMap, TypeKind::kInt, TypeKind::kUint,
                  TypeKind::kDouble, TypeKind::kBool, TypeKind::kString, TypeKind::kTimestamp,
                  TypeKind::kBytes, TypeKind::kDuration, TypeKind::kType, TypeKind::kNull})) {
    return expr;
  }
  if (expr->is(ExprKind::kList)) {
    for (const Expr* arg : expr->args) {
      if (const Expr* bad = not_printable(arg)) return bad;
    }
  }
  if (expr->is(ExprKind::kMap)) {
    for (const MapItem& entry : expr->entries) {
      for (const Expr* part : {entry.key, entry.value}) {
        if (const Expr* bad = not_printable(part)) return bad;
      }
    }
  }
  return nullptr;
}

struct Problem {
  const Expr* at = nullptr;
  std::string message;
};

Problem wrong_type(const Expr* arg, std::string_view words) {
  return {.at = arg,
          .message = "error during formatting: " + std::string(words) + ", was given " +
                     std::string(runtime_name(*arg->type))};
}

// What is wrong with an argument of a clause; without a place if nothing is.
Problem check_argument(char clause, const Expr* arg) {
  const Type& type = *arg->type;
  switch (clause) {
    case 's':
      if (const Expr* bad = not_printable(arg)) {
        return wrong_type(bad,
                          "string clause can only be used on strings, bools, bytes, ints, doubles, "
                          "maps, lists, types, durations, and timestamps");
      }
      return {};
    case 'd':
    case 'o':
      if (is_one_of(type, {TypeKind::kInt, TypeKind::kUint})) return {};
      return wrong_type(arg, clause == 'd' ? "decimal clause can only be used on integers"
                                           : "octal clause can only be used on integers");
    case 'f':
    case 'e':
      if (is_one_of(type, {TypeKind::kDouble, TypeKind::kString})) return {};
      return wrong_type(arg, clause == 'f' ? "fixed-point clause can only be used on doubles"
                                           : "scientific clause can only be used on doubles");
    case 'b':
      if (is_one_of(type, {TypeKind::kInt, TypeKind::kUint, TypeKind::kBool})) return {};
      return wrong_type(arg, "only integers and bools can be formatted as binary");
    default:
      if (is_one_of(type, {TypeKind::kInt, TypeKind::kUint, TypeKind::kString, TypeKind::kBytes})) {
        return {};
      }
      return wrong_type(arg, "only integers, byte buffers, and strings can be formatted as hex");
  }
}

// Reads a clause behind its percent sign: its letter, or zero and a message.
char read_clause(std::string_view& text, std::string& message) {
  std::optional<int64_t> precision;
  if (std::optional<std::string> error = read_precision(text, precision)) {
    message = *std::move(error);
    return '\0';
  }
  const char letter = text.front();
  text.remove_prefix(1);
  if (std::string_view("sdfebxXo").find(letter) != std::string_view::npos) return letter;
  message = std::string("could not parse formatting clause: unrecognized formatting clause \"") +
            letter + "\"";
  return '\0';
}

// The first problem, if any.
Problem check(const Expr* call, std::string_view rest, std::span<Expr* const> args) {
  size_t used = 0;
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c != '%') continue;
    if (rest.starts_with('%')) {
      rest.remove_prefix(1);
      continue;
    }
    if (rest.empty()) return {.at = call, .message = "unexpected end of string"};
    if (used >= args.size()) {
      return {.at = call, .message = "index " + std::to_string(used) + " out of range"};
    }
    std::string message;
    const char clause = read_clause(rest, message);
    if (clause == '\0') return {.at = call, .message = std::move(message)};
    Problem problem = check_argument(clause, args[used++]);
    if (problem.at != nullptr) return problem;
  }
  if (args.size() <= used) return {};
  return {.at = call,
          .message = "too many arguments supplied to string.format (expected " +
                     std::to_string(used) + ", got " + std::to_string(args.size()) + ")"};
}

}  // namespace format_check

void check_format_call(const Expr* call, Issues& issues) {
  if (call->target == nullptr || !call->target->is(ExprKind::kLiteral) ||
      !call->target->literal.is(ValueKind::kString) || call->args.size() != 1 ||
      !call->args[0]->is(ExprKind::kList)) {
    return;
  }
  format_check::Problem problem =
      format_check::check(call, call->target->literal.text(), call->args[0]->args);
  if (problem.at != nullptr) issues.add(problem.at->position, std::move(problem.message));
}

}  // namespace proa::cel
