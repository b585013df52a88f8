#pragma once

#include "cel/syntax/ast.h"
#include "cel/syntax/issues.h"
#include "cel/types/environment.h"

namespace proa::cel {

// Finds the types of all nodes, resolves overloads, and rewrites qualified names. Adds to `issues`
// what is wrong. Types live as long as `types` and the environment do.
void check(Expr* root, const Environment& environment, TypeArena& types, AstFactory& factory,
           Issues& issues);

}  // namespace proa::cel
