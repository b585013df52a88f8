#pragma once

#include <exception>
#include <new>
#include <type_traits>
#include <utility>

#include "base/result.h"

namespace proa {

// Runs `work`; an exception, which only libraries throw, becomes a Status. For every thread that
// processes foreign input: one document that a library cannot handle, or that does not fit into
// memory, must not end the process. Returns what `work` returns if that is a Result, else
// Result<void>.
template <typename Work>
auto guarded(Work&& work) {
  using Returned = std::invoke_result_t<Work>;
  using Guarded = std::conditional_t<std::is_void_v<Returned>, Result<void>, Returned>;
  try {
    if constexpr (std::is_void_v<Returned>) {
      std::forward<Work>(work)();
      return Guarded();
    } else {
      return Guarded(std::forward<Work>(work)());
    }
  } catch (const std::bad_alloc&) {
    return Guarded(Status(Reason::kInternalError, "out of memory"));
  } catch (const std::exception& thrown) {
    return Guarded(
        Status(Reason::kInternalError, std::string("unexpected failure: ") + thrown.what()));
  }
}

}  // namespace proa
