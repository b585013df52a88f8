"""Random expressions of admission policies, well typed and not. See policy_cases.py."""

TEXTS = ["''", "'a'", "'web'", "' x '", "'a\\nb'", "'test'", "'nginx:1'"]
LABELS = ["app", "tier", "none"]

STRINGS = {
    "": ["object.metadata.name", "object.metadata.namespace", "object.metadata.labels.app", "object.metadata.labels['tier']", "object.kind",
         "object.apiVersion", "object.metadata.annotations['note']", "oldObject.metadata.name", "oldObject.metadata.labels.app", "request.operation",
         "request.name", "request.namespace", "request.userInfo.username", "request.userInfo.groups[0]", "request.userInfo.extra['scope'][1]",
         "request.userInfo.uid", "request.kind.kind", "request.resource.resource", "request.requestKind.version", "request.options.kind",
         "request.options.fieldManager", "request.subResource", "namespaceObject.metadata.name", "namespaceObject.metadata.labels.env",
         "namespaceObject.metadata.labels['none']", "namespaceObject.status.phase"],
    "Pod": ["object.spec.containers[0].name", "object.spec.containers[0].image", "object.spec.containers[1].image", "object.spec.restartPolicy",
            "object.spec.containers[0].imagePullPolicy", "object.spec.nodeName", "object.spec.dnsPolicy", "object.spec.nodeSelector['disk']",
            "object.spec.containers[0].env[0].value", "object.status.phase"],
    "Deployment": ["object.spec.template.spec.containers[0].image", "object.spec.strategy.type", "object.spec.template.metadata.labels.app",
                   "object.spec.selector.matchLabels.app", "oldObject.spec.strategy.type"],
    "ConfigMap": ["object.data.a", "object.data['b']", "oldObject.data.a"],
    "Namespace": ["object.spec.finalizers[0]", "object.status.phase"],
}
PARAM_STRINGS = ["params.metadata.name", "params.data.limit", "params.data['name']", "params.metadata.namespace"]
# Mutating policies of upstream do not see these of built-in kinds: its informers drop them.
PARAM_KINDS = ["params.kind", "params.apiVersion"]
INTS = {
    "": ["size(object.metadata.labels)", "size(request.userInfo.groups)", "size(object.metadata.name)", "0", "1", "3", "-1"],
    "Pod": ["size(object.spec.containers)", "object.spec.terminationGracePeriodSeconds", "object.spec.containers[0].ports[0].containerPort",
            "object.spec.priority"],
    "Deployment": ["object.spec.replicas", "oldObject.spec.replicas", "object.spec.progressDeadlineSeconds", "object.spec.minReadySeconds"],
    "ConfigMap": ["size(object.data)"],
    "Namespace": ["size(object.spec.finalizers)"],
}
FIELDS = {
    "": ["object.metadata.labels", "object.metadata.labels.app", "object.metadata.annotations", "object.metadata.generateName", "oldObject.metadata.labels",
         "object.metadata.uid", "object.metadata.creationTimestamp", "request.options.dryRun", "request.userInfo.extra", "object.none", "object.status",
         "namespaceObject.metadata.annotations", "object.metadata.finalizers", "request.dryRun", "request.subResource", "object.metadata.managedFields"],
    "Pod": ["object.spec.nodeName", "object.spec.securityContext", "object.spec.containers[0].resources", "object.spec.containers[0].resources.limits",
            "object.spec.volumes", "object.spec.tolerations", "object.status.phase", "object.spec.containers[0].livenessProbe"],
    "Deployment": ["object.spec.replicas", "object.spec.strategy.rollingUpdate", "object.spec.paused", "object.spec.template.metadata.creationTimestamp",
                   "object.spec.template.spec.containers[0].resources", "object.status.replicas"],
    "ConfigMap": ["object.data", "object.data.a", "object.binaryData", "object.immutable"],
    "Namespace": ["object.spec", "object.spec.finalizers", "object.status.phase"],
}
LISTS = {
    "": ["request.userInfo.groups", "object.metadata.finalizers", "['a', 'web', 'x']", "[]", "request.userInfo.extra['scope']"],
    "Pod": ["object.spec.containers.map(c, c.name)", "object.spec.containers.map(c, c.image)", "object.spec.containers[0].args"],
    "Deployment": ["object.spec.template.spec.containers.map(c, c.image)"],
    "ConfigMap": ["object.data.map(k, k)"],
    "Namespace": ["object.spec.finalizers"],
}
CHECKS = ["authorizer.group('').resource('pods').check('get')", "authorizer.group('').resource('secrets').namespace('default').check('get')",
          "authorizer.requestResource.check('get')", "authorizer.requestResource.check('delete')", "authorizer.path('/healthz').check('get')",
          "authorizer.serviceAccount('default', 'robot').group('apps').resource('deployments').name('x').check('get')",
          "authorizer.group('').resource('pods').subresource('log').check('create')"]
# What the compiler refuses, and what only evaluation does.
BROKEN = ["object.", "none", "1 + 'a'", "object.metadata.name +", "request.none", "namespaceObject.spec.none", "variables.none", "size(1)", "params.x",
          "no_such_function(object)", "'a'.matches('(')", "authorizer.none()", "{", "oldObject.spec.none.more", "1/0 == 1", "object.metadata.name == 1",
          "object.metadata.name > 1", "dyn(object.metadata.name) + 1 == 2", "int(object.metadata.name) == 1", "[1][5] == 1", "true ? 1 : 'a'"]


class Expressions:
    """Makes up expressions about objects of one kind."""

    def __init__(self, random, kind, params, mutating):
        self.random = random
        self.kind = kind
        self.params = params
        self.param_strings = PARAM_STRINGS if mutating else PARAM_STRINGS + PARAM_KINDS
        self.variables = {}  # name: string, bool or int
        self.authorizer = True

    def one(self, table):
        own = table.get(self.kind, [])
        return self.random.choice(own if own and self.random.random() < 0.5 else table[""])

    def variable(self, kind):
        names = [name for name, of in self.variables.items() if of == kind]
        return "variables." + self.random.choice(names) if names and self.random.random() < 0.3 else None

    def string(self, depth=2):
        known = self.variable("string")
        if known:
            return known
        roll = self.random.random()
        if depth == 0 or roll < 0.45:
            if self.params and self.random.random() < 0.3:
                return self.random.choice(self.param_strings)
            return self.random.choice(TEXTS) if self.random.random() < 0.35 else self.one(STRINGS)
        if roll < 0.6:
            return f"{self.string(depth - 1)} + {self.string(depth - 1)}"
        if roll < 0.7:
            return f"({self.boolean(depth - 1)} ? {self.string(depth - 1)} : {self.string(depth - 1)})"
        if roll < 0.8:
            return f"string({self.integer(depth - 1)})"
        if roll < 0.85:
            return f"({self.string(depth - 1)}).{self.random.choice(['upperAscii()', 'lowerAscii()', 'trim()', 'substring(1)', 'charAt(0)'])}"
        if roll < 0.9:
            return f"{self.one(LISTS)}.join('{self.random.choice(['', ',', '-'])}')"
        if roll < 0.95:
            field = self.one(FIELDS).split(".")
            return f"{'.'.join(field[:-1])}.?{field[-1]}.orValue('{self.random.choice('ab')}')"
        if self.authorizer:
            return f"{self.random.choice(CHECKS)}.reason()"
        return "'%s is %d'.format([" + f"{self.string(0)}, {self.integer(0)}])"

    def integer(self, depth=2):
        known = self.variable("int")
        if known:
            return known
        roll = self.random.random()
        if depth == 0 or roll < 0.6:
            return self.one(INTS)
        if roll < 0.85:
            return f"{self.integer(depth - 1)} {self.random.choice('+-*/%')} {self.integer(depth - 1)}"
        return f"size({self.one(LISTS)})"

    def boolean(self, depth=2):
        known = self.variable("bool")
        if known:
            return known
        roll = self.random.random()
        if roll < 0.04:
            return self.random.choice(BROKEN)
        if depth == 0 or roll < 0.1:
            return self.random.choice(["true", "false", f"has({self.one(FIELDS)})"])
        if roll < 0.3:
            return f"{self.string(depth - 1)} {self.random.choice(['==', '!=', '<'])} {self.string(depth - 1)}"
        if roll < 0.45:
            return f"{self.integer(depth - 1)} {self.random.choice(['==', '!=', '<', '>='])} {self.integer(depth - 1)}"
        if roll < 0.55:
            return f"has({self.one(FIELDS)})"
        if roll < 0.65:
            return f"({self.boolean(depth - 1)}) {self.random.choice(['&&', '||'])} ({self.boolean(depth - 1)})"
        if roll < 0.7:
            return f"!({self.boolean(depth - 1)})"
        if roll < 0.8:
            macro = self.random.choice(["all", "exists", "exists_one"])
            test = self.random.choice(["x == 'web'", "x.startsWith('a')", "x != ''", "x.contains('n')", "x == object.metadata.name"])
            return f"{self.one(LISTS)}.{macro}(x, {test})"
        if roll < 0.87:
            return f"{self.string(0)} in {self.one(LISTS)}"
        if roll < 0.92:
            return f"({self.string(0)}).matches('^[a-z]+$')"
        if roll < 0.96 or not self.authorizer:
            return f"'{self.random.choice(LABELS)}' in object.metadata.labels"
        return f"{self.random.choice(CHECKS)}.{self.random.choice(['allowed()', 'errored()'])}"

    # A value of any kind, as mutations write it.
    def value(self):
        roll = self.random.random()
        if roll < 0.5:
            return self.string(1)
        if roll < 0.7:
            return self.integer(1)
        if roll < 0.8:
            return self.boolean(1)
        return self.random.choice(["null", "{}", "[]", "{'a': 'b'}", "['a', 'b']", "1.5", "2u", "duration('90s')", "b'abc'", "object.metadata.labels",
                                   "optional.of('a')", "type(1)", "{1: 2}", "timestamp('2026-01-02T03:04:05Z')", "object.spec", "quantity('1Gi')"])
