// A JSON document as a map from dotted paths to text.

export function flatten(value, path = "", out = new Map()) {
	if (Array.isArray(value) && value.every((v) => typeof v !== "object"))
		out.set(path, value.join(", "));
	else if (value !== null && typeof value === "object" && Object.keys(value).length)
		for (const [key, inner] of Object.entries(value))
			flatten(inner, path ? `${path}.${key}` : key, out);
	else out.set(path, value !== null && typeof value === "object" ? "–" : String(value));
	return out;
}
