#include "store/store.h"

namespace proa::store {

KeyRange KeyRange::prefix(std::string_view prefix) {
  Key end(prefix);
  // The first key after all with this prefix: increments the last byte that can be incremented.
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xff) end.pop_back();
  if (!end.empty()) end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return {Key(prefix), std::move(end)};
}

}  // namespace proa::store
