#pragma once

#include "base/bytes.h"

namespace proa::apiserver {

// JSON text as YAML. Where that would be much larger (deeply nested), it stays JSON, but for
// characters that YAML does not allow or reads as line breaks in its quoted scalars (DEL, U+0080 to
// U+009F with NEL, the byte order mark), which are escaped.
Bytes as_yaml(Bytes json);

}  // namespace proa::apiserver
