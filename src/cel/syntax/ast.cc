#include "cel/syntax/ast.h"

#include <algorithm>
#include <new>

namespace proa::cel {

Expr* AstFactory::make(ExprKind kind, uint32_t position) {
  Expr* node = new (arena_.allocate(sizeof(Expr), alignof(Expr))) Expr;
  node->kind = kind;
  node->position = position;
  return node;
}

Expr* AstFactory::literal(uint32_t position, const Value& value) {
  Expr* node = make(ExprKind::kLiteral, position);
  node->literal = value;
  return node;
}

Expr* AstFactory::ident(uint32_t position, std::string_view name) {
  Expr* node = make(ExprKind::kIdent, position);
  node->name = name;
  return node;
}

Expr* AstFactory::call(uint32_t position, std::string_view function,
                       std::initializer_list<Expr*> args) {
  return member_call(position, function, nullptr, {args.begin(), args.size()});
}

Expr* AstFactory::member_call(uint32_t position, std::string_view function, Expr* target,
                              std::span<Expr* const> args) {
  Expr* node = make(ExprKind::kCall, position);
  node->name = function;
  node->target = target;
  node->args = copy(args);
  return node;
}

Expr* AstFactory::list(uint32_t position, std::span<Expr* const> elements) {
  Expr* node = make(ExprKind::kList, position);
  node->args = copy(elements);
  return node;
}

Expr* AstFactory::comprehension(uint32_t position, const Comprehension& loop) {
  Expr* node = make(ExprKind::kComprehension, position);
  node->loop =
      new (arena_.allocate(sizeof(Comprehension), alignof(Comprehension))) Comprehension(loop);
  return node;
}

std::span<Expr*> AstFactory::copy(std::span<Expr* const> nodes) {
  auto* place = static_cast<Expr**>(arena_.allocate(nodes.size_bytes(), alignof(Expr*)));
  std::copy(nodes.begin(), nodes.end(), place);
  return {place, nodes.size()};
}

Expr* AstFactory::deep_copy(const Expr* node) {
  if (node == nullptr || ++copied_ > kMaxCopied) return nullptr;
  Expr* result = new (arena_.allocate(sizeof(Expr), alignof(Expr))) Expr(*node);
  result->target = deep_copy(node->target);
  result->args = copy(node->args);
  for (Expr*& arg : result->args) arg = deep_copy(arg);
  auto* entries = static_cast<MapItem*>(
      arena_.allocate(sizeof(MapItem) * node->entries.size(), alignof(MapItem)));
  std::copy(node->entries.begin(), node->entries.end(), entries);
  result->entries = {entries, node->entries.size()};
  for (MapItem& entry : result->entries) {
    entry.key = deep_copy(entry.key);
    entry.value = deep_copy(entry.value);
  }
  if (node->loop == nullptr) return result;
  Comprehension loop = *node->loop;
  for (Expr** part : {&loop.range, &loop.initial, &loop.condition, &loop.step, &loop.result}) {
    *part = deep_copy(*part);
  }
  result->loop = comprehension(node->position, loop)->loop;
  return result;
}

}  // namespace proa::cel
