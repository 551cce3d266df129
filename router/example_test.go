package router_test

import (
	"fmt"
	"os"

	"github.com/rapidrest/rapidrest/router"
	"github.com/valyala/fasthttp"
)

// get asks a matcher, without a network.
func get(m *router.Matcher, method, target, body string) string {
	var ctx fasthttp.RequestCtx
	ctx.Request.Header.SetMethod(method)
	ctx.Request.SetRequestURI(target)
	ctx.Request.SetBodyString(body)
	m.Serve(&ctx)
	return fmt.Sprintf("%d %s", ctx.Response.StatusCode(), ctx.Response.Body())
}

func Example() {
	type answer struct {
		Survey string `json:"survey"`
		Limit  int    `json:"limit"`
	}
	table := router.New()
	table.Get("/hello", func(c *router.Ctx) error { return c.Text(200, "hello") })
	table.Get("/answers/{survey}?limit={limit:int=20}", func(c *router.Ctx) error {
		return c.JSON(200, answer{c.Param("survey"), c.Int("limit")})
	})
	table.Post("/answers/{survey}", router.JSON(func(c *router.Ctx, in answer) (answer, error) {
		if in.Limit < 0 {
			return answer{}, router.NewProblem(422, "limit is negative")
		}
		return in, nil
	}))
	matcher, err := table.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(get(matcher, "GET", "/hello", ""))
	fmt.Println(get(matcher, "GET", "/answers/spring", ""))
	fmt.Println(get(matcher, "POST", "/answers/spring", `{"survey":"spring","limit":-1}`))
	fmt.Println(get(matcher, "GET", "/Hello", ""))
	// Output:
	// 200 hello
	// 200 {"survey":"spring","limit":20}
	// 422 {"type":"about:blank","title":"Unprocessable Entity","status":422,"detail":"limit is negative"}
	// 404 {"type":"about:blank","title":"Not Found","status":404,"detail":"no route fits the path"}
}

func nothing(*router.Ctx) error { return nil }

// The table of patterns in the package comment.
func ExampleTable_patterns() {
	table := router.New()
	for _, pattern := range []string{
		"/users/me", "/users/{id}", "/users/{id:int}", "/files/{name}.json", "/v{major:uint}/x",
		"/static/{path...}", "/dir/", "/a?q={q}", "/b?n={n:int=20}",
	} {
		table.Get(pattern, nothing)
	}
	matcher, err := table.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, target := range []string{
		"/users/me", "/%75sers/me", "/users/42x", "/users/a%2Fb", "/users/-42", "/files/a.json", "/v2/x",
		"/static/a/b", "/static/a/", "/static/", "/dir/", "/dir", "/a?q=x", "/a", "/b", "/b?n=7", "/b?n=x",
	} {
		m := matcher.Lookup("GET", target)
		if m.Route == nil {
			fmt.Println(target, m.Status, m.Missing)
			continue
		}
		fmt.Println(target, m.Route.Pattern(), m.Params)
	}
	// Output:
	// /users/me /users/me []
	// /%75sers/me /users/me []
	// /users/42x /users/{id} [{id 42x}]
	// /users/a%2Fb /users/{id} [{id a/b}]
	// /users/-42 /users/{id:int} [{id -42}]
	// /files/a.json /files/{name}.json [{name a}]
	// /v2/x /v{major:uint}/x [{major 2}]
	// /static/a/b /static/{path...} [{path a/b}]
	// /static/a/ /static/{path...} [{path a/}]
	// /static/ 404 []
	// /dir/ /dir/ []
	// /dir 404 []
	// /a?q=x /a?q={q} [{q x}]
	// /a 400 [q]
	// /b /b?n={n:int=20} [{n 20}]
	// /b?n=7 /b?n={n:int=20} [{n 7}]
	// /b?n=x 400 [n]
}

// The table of precedence in the package comment.
func ExampleTable_precedence() {
	table := router.New()
	for _, pattern := range []string{"/a/{x...}", "/a/{x}", "/a/{x:int}", "/a/4{x}", "/a/42"} {
		table.Get(pattern, nothing)
	}
	matcher, err := table.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, target := range []string{"/a/42", "/a/43", "/a/53", "/a/x", "/a/x/y"} {
		fmt.Println(target, matcher.Lookup("GET", target).Route.Pattern())
	}
	// Output:
	// /a/42 /a/42
	// /a/43 /a/4{x}
	// /a/53 /a/{x:int}
	// /a/x /a/{x}
	// /a/x/y /a/{x...}
}

// Compile reports all that is wrong, and shows a request that two routes both match.
func ExampleTable_Compile() {
	table := router.New()
	table.Get("/user_{name}", nothing)
	table.Get("/{name}_admin", nothing)
	table.Get("/a//b", nothing)
	_, err := table.Compile()
	for _, f := range err.(router.Faults) {
		fmt.Println(f.Reason, "|", f.Witness, "|", len(f.Sites))
	}
	// Output:
	// pattern "/a//b": an empty segment |  | 1
	// neither GET "/user_{name}" nor GET "/{name}_admin" wins where both fit | /user_admin | 2
}

// A group's middleware is around its routes, composed once, when the table is compiled.
func ExampleGroup() {
	token := func(next router.Handler) router.Handler {
		return func(c *router.Ctx) error {
			if string(c.Request.Header.Peek("Authorization")) == "" {
				return router.NewProblem(401, "a token is needed")
			}
			return next(c)
		}
	}
	table := router.New()
	api := table.Group("/api", token)
	api.Get("/users/{id}", nothing)
	matcher, err := table.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(get(matcher, "GET", "/api/users/1", ""))
	// Output:
	// 401 {"type":"about:blank","title":"Unauthorized","status":401,"detail":"a token is needed"}
}

func ExampleRoute_URL() {
	table := router.New()
	route := table.Get("/survey/{survey}/{user}?source={source}", nothing)
	u, err := route.URL("survey", "spring", "user", "a/b", "source", "web site")
	fmt.Println(u, err)
	_, err = route.URL("survey", "spring")
	fmt.Fprintln(os.Stdout, err)
	// Output:
	// /survey/spring/a%2Fb?source=web+site <nil>
	// router: URL of "/survey/{survey}/{user}?source={source}": no value for "user"
}

// A slot is asked for once; reading it then looks up no name, and copies nothing.
func ExampleRoute_Slot() {
	table := router.New()
	var id int
	route := table.Get("/users/{id}", func(c *router.Ctx) error {
		return c.Text(200, string(c.ParamBytes(id)))
	})
	id = route.Slot("id")
	matcher, err := table.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(get(matcher, "GET", "/users/42", ""))
	// Output:
	// 200 42
}

func ExampleTable_Type() {
	table := router.New()
	table.Type("even", func(b []byte) bool { return (b[len(b)-1]-'0')%2 == 0 })
	table.Get("/{n:even}", nothing)
	matcher, err := table.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(matcher.Lookup("GET", "/12").Params, matcher.Lookup("GET", "/13").Status)
	// Output:
	// [{n 12}] 404
}
