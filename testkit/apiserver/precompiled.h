#pragma once
// Common includes of API server tests; precompiled.
#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "apiserver/request/request.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "testkit/fake_clock.h"
